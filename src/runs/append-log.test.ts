import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AppendLog } from "./append-log.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-log-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("AppendLog", () => {
  it("is cut back to where a checkpoint saw it, so that repeated steps are recorded once", () => {
    const file = path.join(folder, "metrics.jsonl");
    const first = new AppendLog(file);
    first.append({ step: 1 });
    const bytes = first.bytes;
    first.append({ step: 2 });
    first.close();
    const again = new AppendLog(file, bytes);
    again.append({ step: 2, again: true });
    again.close();
    expect(readFileSync(file, "utf8")).toBe('{"step":1}\n{"step":2,"again":true}\n');
  });

  it("refuses a file that is shorter than the checkpoint remembers", () => {
    const file = path.join(folder, "metrics.jsonl");
    writeFileSync(file, "{}\n");
    expect(() => new AppendLog(file, 100)).toThrow(/the checkpoint needs 100/);
  });
});
