import { describe, expect, it } from "vitest";
import { checkParameter, countMentions, definedNames, topLevelImports } from "./python-names.ts";

const source = `import math
from os import path as p
if True:
    import json

class Node: pass

@decorated
def outer(candidate, default=used):
    def inner(): pass
    assert candidate(1) == 2, candidate(3)
    return candidate

async def waiting(): pass
`;

describe("names in Python", () => {
  it("are defined at the top level", () => {
    expect(definedNames(source)).toEqual({ functions: ["outer", "waiting"], classes: ["Node"] });
  });

  it("are found even in a text that is no Python", () => {
    expect(definedNames("def f(:\n\nclass A(:\ndef g():\n  pass")).toEqual({
      functions: ["f", "g"],
      classes: ["A"],
    });
  });

  it("are used where they are neither imported, defined nor parts of a message", () => {
    const counts = countMentions(source);
    expect(counts.get("candidate")).toBe(2);
    expect(counts.get("used")).toBe(1);
    expect(counts.get("outer")).toBeUndefined();
    expect(counts.get("math")).toBeUndefined();
    expect(counts.get("inner")).toBeUndefined();
  });

  it("count as used in a text that is no Python, to be on the safe side", () => {
    expect(countMentions("assert f(1) == f(").get("f")).toBe(2);
  });

  it("are imported at the top level", () => {
    expect(topLevelImports(source)).toBe("import math\nfrom os import path as p");
    expect(topLevelImports("def (")).toBe("");
  });

  it("are what check calls the function under test", () => {
    expect(checkParameter("x = 1\ndef check(candidate):\n    pass")).toBe("candidate");
    expect(checkParameter("def check( half: object ):\n    pass")).toBe("half");
    expect(checkParameter("def recheck(candidate): pass")).toBeUndefined();
  });
});
