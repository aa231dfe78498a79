import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rememberRecent } from "./remember-recent.ts";

function counted(bounds: { mostResults: number; mostCharacters: number }) {
  const computed: string[] = [];
  const twice = rememberRecent(
    (text: string) => {
      computed.push(text);
      return text + text;
    },
    { ...bounds, charactersOf: (result) => result.length },
  );
  return { twice, computed };
}

describe("rememberRecent", () => {
  it("computes once what is asked for again", () => {
    const { twice, computed } = counted({ mostResults: 2, mostCharacters: 100 });
    expect([twice("a"), twice("b"), twice("a"), twice("b")]).toEqual(["aa", "bb", "aa", "bb"]);
    expect(computed).toEqual(["a", "b"]);
  });

  it("forgets what was not asked for the longest", () => {
    const { twice, computed } = counted({ mostResults: 2, mostCharacters: 100 });
    for (const text of ["a", "b", "a", "c", "a", "b"]) twice(text);
    expect(computed).toEqual(["a", "b", "c", "b"]);
  });

  it("counts characters of texts and results, and keeps nothing that is too long alone", () => {
    const { twice, computed } = counted({ mostResults: 100, mostCharacters: 9 });
    for (const text of ["a", "bb", "a", "c", "a", "bb"]) twice(text);
    expect(computed).toEqual(["a", "bb", "c", "bb"]);
    for (const text of ["long", "long"]) expect(twice(text)).toBe("longlong");
    expect(computed.slice(4)).toEqual(["long", "long"]);
  });

  it("remembers a result that is undefined", () => {
    let times = 0;
    const nothing = rememberRecent<undefined>(
      () => {
        times += 1;
        return undefined;
      },
      { mostResults: 1, mostCharacters: 9, charactersOf: () => 0 },
    );
    nothing("a");
    nothing("a");
    expect(times).toBe(1);
  });

  it("passes errors on and remembers none", () => {
    let isBroken = true;
    const failing = rememberRecent(
      (text: string) => {
        if (isBroken) throw new Error("no");
        return text;
      },
      { mostResults: 1, mostCharacters: 9, charactersOf: () => 0 },
    );
    expect(() => failing("a")).toThrow("no");
    isBroken = false;
    expect(failing("a")).toBe("a");
  });

  it("gives what the function gives, and computes exactly what a list of the last ones lacks", () => {
    const text = fc.constantFrom("a", "b", "c", "d", "eeee");
    fc.assert(
      fc.property(fc.array(text), fc.integer({ min: 1, max: 4 }), (texts, mostResults) => {
        const { twice, computed } = counted({ mostResults, mostCharacters: 1000 });
        const expected: string[] = [];
        let recent: string[] = [];
        for (const each of texts) {
          if (!recent.includes(each)) expected.push(each);
          recent = [...recent.filter((other) => other !== each), each].slice(-mostResults);
          expect(twice(each)).toBe(each + each);
        }
        expect(computed).toEqual(expected);
      }),
    );
  });
});
