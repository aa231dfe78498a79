import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { hasPython } from "../../values/run-python.test.support.ts";
import { findPython } from "./find-python.ts";

const folder = mkdtempSync(path.join(tmpdir(), "sparring-pythons-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** An executable that answers like a Python, or in some other way. */
function fake(name: string, script: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe.skipIf(process.platform === "win32")("findPython", () => {
  it("asks the named Python for its real place and version", async () => {
    const shim = fake("shim", "echo /opt/python/bin/python3; echo 3.12.4");
    expect(await findPython(shim)).toEqual({ executable: "/opt/python/bin/python3", version: "3.12.4" });
  });

  it.each([
    ["too old", "echo /usr/bin/python3; echo 3.8.20", "is 3.8.20, older than 3.9"],
    ["Python 2", "echo /usr/bin/python2; echo 2.7.18", "is not Python 3"],
    ["something else", "echo hello", "is not Python 3"],
    ["silent", "exit 0", "is not Python 3"],
    ["broken", "echo no module named sys >&2; exit 1", "Command failed"],
  ])("says of a Python that is %s why it will not do", async (name, script, reason) => {
    const command = fake(name.replace(/ /g, "-"), script);
    await expect(findPython(command)).rejects.toMatchObject({
      code: "python-missing",
      message: expect.stringContaining(`${command}: ${reason}`),
      hint: expect.stringContaining("wasm"),
    });
  });

  it("names every place it looked at when there is none", async () => {
    const missing = path.join(folder, "missing");
    await expect(findPython(missing)).rejects.toMatchObject({
      code: "python-missing",
      message: expect.stringContaining("not found"),
    });
  });

  it("takes the one that the environment names before the usual places", async () => {
    vi.stubEnv("SPARRING_PYTHON", fake("named", "echo /named/python3; echo 3.13.0"));
    try {
      expect(await findPython()).toEqual({ executable: "/named/python3", version: "3.13.0" });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it.skipIf(!hasPython)("finds the Python of this machine", async () => {
    const { version } = await findPython();
    expect(version).toMatch(/^3\.\d+\.\d+$/);
  });
});
