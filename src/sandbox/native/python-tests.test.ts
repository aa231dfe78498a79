/** Runs the tests of python/sandbox, which are in Python: they need nothing but a python3. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";
import { packageRoot } from "../../package-root.ts";
import { hasPython } from "../../values/run-python.test.support.ts";

it("python/sandbox passes its own tests", (context) => {
  if (process.platform !== "linux") return context.skip("the native sandbox is for Linux");
  if (!hasPython) return context.skip("there is no python3 on this machine");
  const folder = path.join(packageRoot, "python", "sandbox");
  const result = spawnSync(
    "python3",
    ["-s", "-B", "-W", "error", "-m", "unittest", "discover", "-s", "tests"],
    {
      cwd: folder,
      encoding: "utf8",
    },
  );
  expect(result.status, result.stderr).toBe(0);
  expect(result.stderr).toMatch(/Ran \d\d+ tests/);
});
