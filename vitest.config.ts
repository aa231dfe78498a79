import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts"],
    // Real processes and real interpreters take their time on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Left alone, Vitest keeps one processor for itself; on two that would leave a single lane.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
