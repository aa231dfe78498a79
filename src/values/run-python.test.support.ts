/** Asks a real Python what it thinks, many questions in one process. Tests that need it are skipped without it. */
import { spawnSync } from "node:child_process";

export const hasPython = spawnSync("python3", ["-I", "-c", "pass"]).status === 0;

/** Runs a script that reads one JSON text from stdin and prints one JSON text. */
export function askPython(script: string, question: unknown): unknown {
  const result = spawnSync("python3", ["-I", "-W", "ignore", "-c", script], {
    input: JSON.stringify(question),
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  if (result.status !== 0) throw new Error(`python3 failed: ${result.stderr}`);
  return JSON.parse(result.stdout);
}
