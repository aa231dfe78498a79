import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SparringError } from "../errors.ts";
import { maximumSourceBytes } from "../limits.ts";
import { readProgram } from "./read-program.ts";

describe("readProgram", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sparring-program-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function read(content: string | Uint8Array) {
    const file = path.join(folder, "candidate.py");
    await writeFile(file, content);
    return readProgram(file);
  }

  it("gives the source, whatever it is", async () => {
    expect(await read("print('é')\n")).toEqual({ ok: true, source: "print('é')\n" });
    expect(await read("")).toEqual({ ok: true, source: "" });
    expect(await read("x\0y")).toEqual({ ok: true, source: "x\0y" });
    expect(await read("x".repeat(maximumSourceBytes))).toMatchObject({ ok: true });
  });

  it("has a program that is not UTF-8 or far too large fail to load", async () => {
    expect(await read(Buffer.from("print('é')", "latin1"))).toMatchObject({
      ok: false,
      error: { type: "UnicodeDecodeError" },
    });
    expect(await read("x".repeat(maximumSourceBytes + 1))).toMatchObject({
      ok: false,
      error: { type: "SourceTooLarge" },
    });
    if (process.platform === "linux") expect(await readProgram("/dev/zero")).toMatchObject({ ok: false });
  });

  it("tells a user about a path that leads nowhere", async () => {
    const failure = await readProgram(path.join(folder, "none.py")).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SparringError);
    await expect(readProgram(folder)).rejects.toThrow("is a folder");
  });
});
