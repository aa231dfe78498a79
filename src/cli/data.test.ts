/** `spar data` as a person meets it: real processes and real files. */
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../package-root.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-data-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const main = path.join(packageRoot, "dist", "cli", "main.js");
const options = { env: { ...process.env, NO_COLOR: "1" } };

function spar(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, "data", ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

function file(name: string, content: string | Uint8Array): string {
  const target = path.join(folder, name);
  writeFileSync(target, content);
  return target;
}

const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");

const half = {
  id: "half",
  question: "Half of it.\u001b[2J",
  style: "function",
  entryPoint: "half",
  reference: "def half(x):\n    return x / 2",
  goldTests: ["assert half(4) == 2", "assert half(-1) == -0.5"],
};
const wrong = { ...half, id: "wrong", goldTests: ["assert half(4) == 2", "assert half(1) == 1"] };
const mbpp = {
  task_id: 3,
  text: "Add one.",
  code: "def plus(x):\n    return x + 1\n",
  test_list: ["assert plus(1) == 2", "assert abs(plus(1.5) - 2.5) < 1e-9"],
  challenge_test_list: [],
};
const refused = { ...mbpp, task_id: 4, test_list: ["assert minus(1) == 0"] };

describe("spar data validate", () => {
  it("reports the rows that fail and writes those that pass", async () => {
    const target = file("set.jsonl", lines(half, wrong, mbpp, refused));
    const out = path.join(folder, "usable.jsonl");
    const { code, stdout } = await spar("validate", target, "--json", "--workers", "1", "--out", out);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      file: target,
      rows: 4,
      passed: 2,
      failed: [
        {
          row: 2,
          id: "wrong",
          field: "goldTests[1]",
          reason: "the reference gives 0.5, the test wants 1: assert half(1) == 1",
        },
        {
          row: 4,
          id: null,
          field: null,
          reason: expect.stringMatching(/line 4: the tests in 'test_list' call no function.*Check the names/),
        },
      ],
      unknown: [],
      warnings: [],
    });
    const written = readFileSync(out, "utf8").trim().split("\n");
    expect(written.map((line) => JSON.parse(line).id)).toEqual(["half", "MBPP/3"]);
  });

  it("says it in words, and with 0 that all is well", async () => {
    const well = await spar(
      "validate",
      file("well.jsonl", lines(half, wrong)),
      "--limit",
      "1",
      "--workers",
      "1",
    );
    expect(well).toMatchObject({
      code: 0,
      stdout: "1 of 1 rows: the reference passes its own tests; 0 fail\n",
    });
    const ill = await spar("validate", file("ill.json", JSON.stringify([wrong])), "--workers", "1");
    expect(ill.code).toBe(1);
    expect(ill.stdout).toContain(
      "fails   row 1 wrong goldTests[1]: the reference gives 0.5, the test wants 1: assert half(1) == 1\n",
    );
  });

  it("stops at Ctrl-C and leaves no file", async () => {
    const endless = {
      ...half,
      reference: "def half(x):\n    while True: pass",
      limits: { caseCpuSeconds: 600 },
    };
    const target = file("endless.json", JSON.stringify(endless));
    const out = path.join(folder, "never.jsonl");
    const child = spawn(
      process.execPath,
      [main, "data", "validate", target, "--out", out, "--sandbox", "wasm"],
      options,
    );
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
      if (String(chunk).includes("1 references")) child.kill("SIGINT");
    });
    expect(await ended).toBe(130);
    expect(stderr).toContain("interrupted");
    expect(readdirSync(folder).filter((name) => name.startsWith("never"))).toEqual([]);
  });

  it("will not overwrite a file, and says so before it works", async () => {
    const out = file("kept.jsonl", "kept");
    const { code, stderr } = await spar("validate", file("one.json", JSON.stringify(half)), "--out", out);
    expect(code).toBe(2);
    expect(stderr).toContain("already exists");
    expect(readFileSync(out, "utf8")).toBe("kept");
  });
});

describe("spar data convert", () => {
  it("writes the plain format and says what is not kept", async () => {
    const target = file("set.jsonl.gz", gzipSync(lines(mbpp, refused)));
    const out = path.join(folder, "plain.jsonl");
    const { code, stdout, stderr } = await spar("convert", target, out);
    expect(code).toBe(0);
    expect(stdout).toBe(`wrote 1 of 2 rows to ${out}\n`);
    expect(stderr).toContain("left out row 2: ");
    expect(stderr).toContain("fields not kept: challenge_test_list (1 rows)");
    expect(stderr).toContain("1 problems have tests that are no plain asserts");
    const record = JSON.parse(readFileSync(out, "utf8"));
    expect(record).toMatchObject({
      id: "MBPP/3",
      entryPoint: "plus",
      goldTests: ["assert plus(1) == 2"],
      check: { form: "script", source: mbpp.test_list.join("\n") },
    });
  });

  it("leaves its own output as it is, and overwrites only when told to", async () => {
    const plain = file("again.jsonl", "");
    const target = file("again.json", JSON.stringify([half, mbpp]));
    expect((await spar("convert", target, plain)).code).toBe(2);
    expect((await spar("convert", target, plain, "--force", "--json")).code).toBe(0);
    const copy = path.join(folder, "copy.jsonl");
    await spar("convert", plain, copy);
    expect(readFileSync(copy, "utf8")).toBe(readFileSync(plain, "utf8"));
  });

  it("refuses a file without a single problem, and a folder that is not there", async () => {
    const none = await spar("convert", file("none.jsonl", lines(refused)), path.join(folder, "x.jsonl"));
    expect(none).toMatchObject({ code: 2, stdout: "" });
    expect(existsSync(path.join(folder, "x.jsonl"))).toBe(false);
    const nowhere = await spar(
      "convert",
      file("h.json", JSON.stringify(half)),
      path.join(folder, "no", "x.jsonl"),
    );
    expect(nowhere.code).toBe(2);
    expect(nowhere.stderr).toContain("cannot be written");
  });
});

describe("spar data show", () => {
  it("prints problems without letting them act on the terminal", async () => {
    const target = file("shown.jsonl", lines(half, mbpp));
    const { code, stdout } = await spar("show", target);
    expect(code).toBe(0);
    expect(stdout).toContain("half  row 1, plain, function, half");
    expect(stdout).toContain("  Half of it.\\u001b[2J");
    expect(stdout).toContain("  assert half(-1) == -0.5");
    expect(stdout).toContain("MBPP/3  row 2, MBPP, function, plus");
    expect(stdout).toContain("check program (script)");
    expect(stdout).not.toContain("\u001b");
  });

  it("finds one by its id, and says when there is none", async () => {
    const target = file("shown.jsonl", lines(half, mbpp));
    const one = await spar("show", target, "--id", "MBPP/3", "--json");
    expect(JSON.parse(one.stdout)).toMatchObject([{ id: "MBPP/3" }]);
    const none = await spar("show", target, "--id", "nobody");
    expect(none.code).toBe(2);
    expect(none.stderr).toContain("no problem has the id 'nobody'");
  });
});

describe("spar data", () => {
  it.each(["validate", "convert", "show", "schema"])("%s explains itself with an example", async (name) => {
    const { code, stdout } = await spar(name, "--help");
    expect(code).toBe(0);
    expect(stdout).toContain("$ spar data");
  });

  it("names a file that is missing or empty", async () => {
    const missing = await spar("show", path.join(folder, "missing.jsonl"));
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toContain("does not exist");
    const empty = await spar("validate", file("empty.json", ""));
    expect(empty.code).toBe(2);
    expect(empty.stderr).toContain("is empty");
  });
});
