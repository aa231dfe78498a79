import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arenaProblems } from "../problems/arena/arena.ts";
import { seededRandom } from "../problems/arena/random.ts";
import { AttackPool, type PoolChange } from "./attack-pool.ts";

const [problem] = arenaProblems({ split: "train", limit: 1 });
const pairs = ["a", "b"].map((id) => ({ id, problem: problem!, buggy: `original ${id}` }));
const never = () => ({ random: seededRandom(1), probability: 0 });

describe("AttackPool", () => {
  it("meets the newest program with its generation", () => {
    const pool = new AttackPool(pairs);
    expect(pool.meet("a", never())).toMatchObject({ generation: 0, pair: { buggy: "original a" } });
    pool.apply({ pair: "a", kind: "replaced", source: "harder" });
    expect(pool.meet("a", never())).toMatchObject({ generation: 1, pair: { id: "a", buggy: "harder" } });
    expect(pool.meet("b", never()).generation).toBe(0);
  });

  it("meets replaced programs again with the given probability", () => {
    const pool = new AttackPool(pairs);
    pool.apply({ pair: "a", kind: "replaced", source: "second" });
    pool.apply({ pair: "a", kind: "replaced", source: "third" });
    const random = seededRandom(5);
    const met = Array.from({ length: 400 }, () => pool.meet("a", { random, probability: 0.5 }).generation);
    const newest = met.filter((generation) => generation === 2).length;
    expect(newest).toBeGreaterThan(150);
    expect(newest).toBeLessThan(250);
    expect(new Set(met)).toEqual(new Set([0, 1, 2]));
  });

  it("knows the programs that a pair has had and those that others of its problem have, in any layout", () => {
    const programs = ["def f(a): return 1", "def f(a): return 2", "def f(a): return 3"];
    const pool = new AttackPool(pairs.map((pair, index) => ({ ...pair, buggy: programs[index]! })));
    pool.apply({ pair: "b", kind: "replaced", source: programs[2]! });
    const [one, two, three] = programs.map((source) => pool.keyOf("a", `# once more\n${source}  # yes\n`));
    expect(pool.takenKeys("a")).toEqual(new Set([one, three]));
    expect(pool.takenKeys("b")).toEqual(new Set([two, three, one]));
  });

  it("lets a pair rest for 1, 3, 7 and again 7 turns when nothing was found, and forgets that when something was", () => {
    const pool = new AttackPool(pairs);
    const rests = [1, 2, 3, 4].map(() => {
      pool.apply({ pair: "a", kind: "exhausted" });
      let turns = 0;
      while (pool.isResting("a")) {
        pool.apply({ pair: "a", kind: "rested" });
        turns += 1;
      }
      return turns;
    });
    expect(rests).toEqual([1, 3, 7, 7]);
    pool.apply({ pair: "a", kind: "replaced", source: "harder" });
    pool.apply({ pair: "a", kind: "exhausted" });
    pool.apply({ pair: "a", kind: "rested" });
    expect(pool.isResting("a")).toBe(false);
    expect(pool.isResting("b")).toBe(false);
  });

  it("is a function of its changes", () => {
    const change: fc.Arbitrary<PoolChange> = fc.oneof(
      fc.record({
        pair: fc.constantFrom("a", "b"),
        kind: fc.constant("replaced" as const),
        source: fc.string(),
      }),
      fc.record({ pair: fc.constantFrom("a", "b", "gone"), kind: fc.constant("exhausted" as const) }),
      fc.record({ pair: fc.constantFrom("a", "b"), kind: fc.constant("rested" as const) }),
    );
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const [one, other] = [new AttackPool(pairs), new AttackPool(pairs)];
        for (const each of changes) {
          one.apply(each);
          other.apply(JSON.parse(JSON.stringify(each)) as PoolChange);
        }
        for (const { id } of pairs) {
          expect(other.meet(id, never())).toEqual(one.meet(id, never()));
          expect(other.isResting(id)).toBe(one.isResting(id));
        }
      }),
    );
  });
});
