import { describe, expect, it } from "vitest";
import { programKey } from "./program-key.ts";

const program = "def f(a):\n    for x in a:\n        g(x)\n    return 'a  b'\n";

describe("the key of a program", () => {
  it.each([
    "def f( a ) :\n  # a comment\n  for x in a :\n    g( x )  # another\n\n  return 'a  b'",
    'def f(a):\n    """What it does."""\n    for x in a: g(x)\n    return \'a  b\'\n',
    "def f(a):\r\n\tfor x in a:\r\n\t\tg(x)\r\n\treturn 'a  b'\r\n",
  ])("is the same in another layout (%#)", (other) => {
    expect(programKey(other)).toBe(programKey(program));
  });

  it.each([
    "def f(a):\n    for x in a:\n        g(x)\n        return 'a  b'\n",
    "def f(a):\n    for x in a:\n        g(x)\n    return 'a b'\n",
    "def f(b):\n    for x in a:\n        g(x)\n    return 'a  b'\n",
    "def f(a):\n    for x in a:\n        g(x)\nreturn 'a  b'\n",
  ])("is another for another program (%#)", (other) => {
    expect(programKey(other)).not.toBe(programKey(program));
  });

  it("knows the words of a formatted text", () => {
    expect(programKey("print(f'yes {x}')")).not.toBe(programKey("print(f'no {x}')"));
    expect(programKey("print( f'yes {x}' )")).toBe(programKey("print(f'yes {x}')"));
  });

  it("exists for what is no program", () => {
    expect(programKey("def  f(")).toBe(programKey("def f(\n"));
    expect(programKey("def f(")).not.toBe(programKey("def g("));
    expect(programKey(`x = ${"-".repeat(20_000)}1`)).toContain("1");
  });
});
