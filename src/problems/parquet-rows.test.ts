import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readParquetRows } from "./parquet-rows.ts";
import { readProblems } from "./read-problem.ts";

/**
 * Three records with the fields of Code-A1's training file, made for this test: texts, a list of texts, a struct with a
 * 64-bit integer; two row groups.
 */
const files = {
  snappy:
    "UEFSMRUAFUIVRiwVBBUAFQYVBhwAAAAhgAIAAAAEAQgAAABBZGQgb25lLgsAAABIYWxmIG9mIGl0LhUAFY4BFW4sFQQVABUGFQYc" +
    "AAAAR5gCAAAABAEbAAAAZGVmIGYoeCk6CiAgICByZXR1cm4geCArIDEKHgAJHwhoYWxKIgAMLyAyChUAFd4BFaoBLBUIFQAVBhUG" +
    "HAAAAG8UAgAAAAMKAQZUCAMQAAAAYXNzZXJ0IGYoMSkgPT0gMjIUAAAyBRQEMxMZKBRoYWxmKDQFFwgyIAAVPxBhYnMoaAEbPDEp" +
    "IC0gMC41KSA8IDFlLTkVABUsFTAsFQQVABUGFQYcAAAAFlQCAAAABAIBAAAAAAAAAAIAAAAAAAAAFQAVJhUqLBUEFQAVBhUGHAAA" +
    "ABNIAgAAAAQCAQAAAGYEAAAAaGFsZhUAFSYVKiwVAhUAFQYVBhwAAAATSAIAAAACAQkAAABObyB0ZXN0cy4VABVCFUYsFQIVABUG" +
    "FQYcAAAAIYACAAAAAgEXAAAAZGVmIGcoeCk6CiAgICByZXR1cm4geAoVABVAFUAsFQIVABUGFQYcAAAAIBQCAAAAAgAFBlADEAAA" +
    "AGFzc2VydCBnKDEpID09IDEVABUcFSAsFQIVABUGFQYcAAAADjQCAAAAAgIDAAAAAAAAABUAFRYVGiwVAhUAFQYVBhwAAAALKAIA" +
    "AAACAgEAAABnFQQZnDUAGAZzY2hlbWEVCAAVDCUCGBFjbGVhbl9kZXNjcmlwdGlvbiUATBwAAAAVDCUCGAdHVF9jb2RlJQBMHAAA" +
    "ADUCGAdHVF90ZXN0FQIVBkw8AAAANQQYBGxpc3QVAgAVDCUCGAdlbGVtZW50JQBMHAAAADUCGApleHRyYV9pbmZvFQQAFQQlAhgL" +
    "cXVlc3Rpb25faWQAFQwlAhgNZnVuY3Rpb25fbmFtZSUATBwAAAAWBhksGVwmABwVDBklBgAZGBFjbGVhbl9kZXNjcmlwdGlvbhUC" +
    "FgQWaBZsJghJHBUAFQAVAgA8FiYZBhkmAAQAAAAmABwVDBklBgAZGAdHVF9jb2RlFQIWBBa2ARaWASZ0SRwVABUAFQIAPBZyGQYZ" +
    "JgAEAAAAJgAcFQwZJQYAGTgHR1RfdGVzdARsaXN0B2VsZW1lbnQVAhYIFogCFtQBJooCSRwVABUAFQIAPBamARkmBAQZRgAAAAgA" +
    "AAAmABwVBBklBgAZKApleHRyYV9pbmZvC3F1ZXN0aW9uX2lkFQIWBBZSFlYm3gNJHBUAFQAVAgA8KQYZNgAABAAAACYAHBUMGSUG" +
    "ABkoCmV4dHJhX2luZm8NZnVuY3Rpb25fbmFtZRUCFgQWTBZQJrQESRwVABUAFQIAPBYKGQYZNgAABAAAABbEBRYEJggW/AQAGVwm" +
    "ABwVDBklBgAZGBFjbGVhbl9kZXNjcmlwdGlvbhUCFgIWTBZQJoQFSRwVABUAFQIAPBYSGQYZJgACAAAAJgAcFQwZJQYAGRgHR1Rf" +
    "Y29kZRUCFgIWaBZsJtQFSRwVABUAFQIAPBYuGQYZJgACAAAAJgAcFQwZJQYAGTgHR1RfdGVzdARsaXN0B2VsZW1lbnQVAhYCFmYW" +
    "ZibABkkcFQAVABUCADwWIBkmAgAZRgAAAAIAAAAmABwVBBklBgAZKApleHRyYV9pbmZvC3F1ZXN0aW9uX2lkFQIWAhZCFkYmpgdJ" +
    "HBUAFQAVAgA8KQYZNgAAAgAAACYAHBUMGSUGABkoCmV4dHJhX2luZm8NZnVuY3Rpb25fbmFtZRUCFgIWPBZAJuwHSRwVABUAFQIA" +
    "PBYCGQYZNgAAAgAAABaYAxYCJoQFFqgDACggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZXBwAABwAABwAABwAABwA" +
    "AAB9AwAAUEFSMQ==",
  zstd:
    "UEFSMRUAFUIVVCwVBBUAFQYVBhwAAAAotS/9ICEJAQACAAAABAEIAAAAQWRkIG9uZS4LAAAASGFsZiBvZiBpdC4VABWOARWAASwV" +
    "BBUAFQYVBhwAAAAotS/9IEe9AQDUAgIAAAAEARsAAABkZWYgZih4KToKICAgIHJldHVybiB4ICsgMQoeaGFsLyAyCgIARaVhkakn" +
    "FQAV3gEVtAEsFQgVABUGFQYcAAAAKLUv/SBvjQIA9AMCAAAAAwoCAAAACAMQAAAAYXNzZXJ0IGYoMSkgPT0gMjIzE2hhbGYoNDIg" +
    "YWJzKDEpIC0gMC41KSA8IDFlLTkGAD4FAYt1tgIgAoHhjkkGFQAVLBU+LBUEFQAVBhUGHAAAACi1L/0gFrEAAAIAAAAEAgEAAAAA" +
    "AAAAAgAAAAAAAAAVABUmFTgsFQQVABUGFQYcAAAAKLUv/SATmQAAAgAAAAQCAQAAAGYEAAAAaGFsZhUAFSYVOCwVAhUAFQYVBhwA" +
    "AAAotS/9IBOZAAACAAAAAgEJAAAATm8gdGVzdHMuFQAVQhVULBUCFQAVBhUGHAAAACi1L/0gIQkBAAIAAAACARcAAABkZWYgZyh4" +
    "KToKICAgIHJldHVybiB4ChUAFUAVUiwVAhUAFQYVBhwAAAAotS/9ICABAQACAAAAAgACAAAAAgMQAAAAYXNzZXJ0IGcoMSkgPT0g" +
    "MRUAFRwVLiwVAhUAFQYVBhwAAAAotS/9IA5xAAACAAAAAgIDAAAAAAAAABUAFRYVKCwVAhUAFQYVBhwAAAAotS/9IAtZAAACAAAA" +
    "AgIBAAAAZxUEGZw1ABgGc2NoZW1hFQgAFQwlAhgRY2xlYW5fZGVzY3JpcHRpb24lAEwcAAAAFQwlAhgHR1RfY29kZSUATBwAAAA1" +
    "AhgHR1RfdGVzdBUCFQZMPAAAADUEGARsaXN0FQIAFQwlAhgHZWxlbWVudCUATBwAAAA1AhgKZXh0cmFfaW5mbxUEABUEJQIYC3F1" +
    "ZXN0aW9uX2lkABUMJQIYDWZ1bmN0aW9uX25hbWUlAEwcAAAAFgYZLBlcJgAcFQwZJQYAGRgRY2xlYW5fZGVzY3JpcHRpb24VDBYE" +
    "FmgWeiYISRwVABUAFQIAPBYmGQYZJgAEAAAAJgAcFQwZJQYAGRgHR1RfY29kZRUMFgQWuAEWqgEmggFJHBUAFQAVAgA8FnIZBhkm" +
    "AAQAAAAmABwVDBklBgAZOAdHVF90ZXN0BGxpc3QHZWxlbWVudBUMFggWiAIW3gEmrAJJHBUAFQAVAgA8FqYBGSYEBBlGAAAACAAA" +
    "ACYAHBUEGSUGABkoCmV4dHJhX2luZm8LcXVlc3Rpb25faWQVDBYEFlIWZCaKBEkcFQAVABUCADwpBhk2AAAEAAAAJgAcFQwZJQYA" +
    "GSgKZXh0cmFfaW5mbw1mdW5jdGlvbl9uYW1lFQwWBBZMFl4m7gRJHBUAFQAVAgA8FgoZBhk2AAAEAAAAFsYFFgQmCBbEBQAZXCYA" +
    "HBUMGSUGABkYEWNsZWFuX2Rlc2NyaXB0aW9uFQwWAhZMFl4mzAVJHBUAFQAVAgA8FhIZBhkmAAIAAAAmABwVDBklBgAZGAdHVF9j" +
    "b2RlFQwWAhZoFnomqgZJHBUAFQAVAgA8Fi4ZBhkmAAIAAAAmABwVDBklBgAZOAdHVF90ZXN0BGxpc3QHZWxlbWVudBUMFgIWZhZ4" +
    "JqQHSRwVABUAFQIAPBYgGSYCABlGAAAAAgAAACYAHBUEGSUGABkoCmV4dHJhX2luZm8LcXVlc3Rpb25faWQVDBYCFkIWVCacCEkc" +
    "FQAVABUCADwpBhk2AAACAAAAJgAcFQwZJQYAGSgKZXh0cmFfaW5mbw1mdW5jdGlvbl9uYW1lFQwWAhY8Fk4m8AhJHBUAFQAVAgA8" +
    "FgIZBhk2AAACAAAAFpgDFgImzAUW8gMAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRlcHAAAHAAAHAAAHAAAHAAA" +
    "AH4DAABQQVIx",
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-parquet-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, bytes: Uint8Array): string {
  const target = path.join(folder, name);
  writeFileSync(target, bytes);
  return target;
}

describe.each(Object.entries(files))("a parquet file compressed with %s", (name, base64) => {
  const bytes = Buffer.from(base64, "base64");

  it("gives its records with their rows", async () => {
    const target = file(name, bytes);
    const rows = await readParquetRows(target);
    expect(rows.map(({ number, where }) => [number, where])).toEqual([
      [1, `${target}, row 1`],
      [2, `${target}, row 2`],
      [3, `${target}, row 3`],
    ]);
    expect(rows[1]!.value).toEqual({
      clean_description: "Half of it.",
      GT_code: "def half(x):\n    return x / 2\n",
      GT_test: ["assert half(4) == 2", "assert abs(half(1) - 0.5) < 1e-9"],
      extra_info: { question_id: 2, function_name: "half" },
    });
  });

  it("gives no more records than asked for, across row groups", async () => {
    const target = file(name, bytes);
    for (const limit of [1, 2, 3, 4]) {
      expect(await readParquetRows(target, limit)).toHaveLength(Math.min(limit, 3));
    }
  });

  it("is known by its content, whatever its name", async () => {
    const problems = await readProblems(file(`${name}.data`, bytes));
    expect(problems.map(({ id, entryPoint, goldTests }) => [id, entryPoint, goldTests.length])).toEqual([
      ["1", "f", 2],
      ["2", "half", 1],
      ["3", "g", 1],
    ]);
    expect(problems.map(({ check }) => check?.form)).toEqual([undefined, "script", undefined]);
  });

  it("says so when it is cut off", async () => {
    await expect(readProblems(file(`${name}-cut`, bytes.subarray(0, 700)))).rejects.toThrow(
      /is not a readable parquet file/,
    );
  });
});
