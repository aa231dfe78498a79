import { describe, expect, it } from "vitest";
import { scanPython } from "./scan-python.ts";

describe("scanPython", () => {
  it.each([
    ["1.", "1.0"],
    ["[1., 2.]", "[1.0, 2.0]"],
    ["1.e5 + 2.j", "1.0e5 + 2.0j"],
    ["1_0.", "1_0.0"],
    ["1..real", "1.0.real"],
    ["1._5", "1._5"],
    ["x1.y", "x1.y"],
    ["a[0].b", "a[0].b"],
    ["1.5", "1.5"],
    [".5", ".5"],
    ["0x1F.real", "0x1F.real"],
    ["1e5.real", "1e5.real"],
    ["'1.' # 2.", "'1.' # 2."],
    ['"""1.\n2."""', '"""1.\n2."""'],
    ["r'\\' 1.'", "r'\\' 1.'"],
    ["'\\'' + 1.", "'\\'' + 1.0"],
  ])("completes floats that end in their point: %s", (source, completed) => {
    expect(scanPython(source).source).toBe(completed);
  });

  it.each([
    ["f(a[1], {2: (3)})", 3],
    ["'((('", 0],
    ["# (((\n()", 1],
    [")))(", 1],
    ['"""(\n(\n"""[', 1],
    // A triple quote without an end is taken to end with its line.
    ['"""(\n((', 2],
  ])("counts open brackets in %s", (source, brackets) => {
    expect(scanPython(source).brackets).toBe(brackets);
  });
});
