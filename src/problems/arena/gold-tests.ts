/**
 * Gold tests of a task: the empty input, a few inputs that tell the right program from every bug in the catalogue
 * (greedily: always the one that reveals the most bugs not revealed yet, the shorter one first), then a single item,
 * repeats, zero and negative numbers where these are still missing, and others for what the catalogue does not know.
 */
import { bugsOf } from "./bugs.ts";
import { type Answer, compileProgram } from "./evaluate.ts";
import { inputPool } from "./inputs.ts";
import type { ArenaInput, ArenaValue } from "./program.ts";
import { seededRandom, shuffled } from "./random.ts";
import type { Family } from "./render-python.ts";
import type { ArenaTask } from "./tasks.ts";

export interface ArenaCase {
  readonly input: ArenaInput;
  readonly expected: ArenaValue;
}

const fewestCases = 10;

const isSingle = (input: ArenaInput) => input.length === 1;
const hasRepeats = (input: ArenaInput) => new Set<number | string>(input).size < input.length;
const has = (wanted: (value: number) => boolean) => (input: ArenaInput) =>
  typeof input !== "string" && input.some(wanted);

const kindsToMeet: Readonly<Record<Family, readonly ((input: ArenaInput) => boolean)[]>> = {
  numbers: [isSingle, hasRepeats, has((value) => value === 0), has((value) => value < 0)],
  words: [isSingle, hasRepeats],
};

const known = new WeakMap<ArenaTask, readonly ArenaCase[]>();

export function goldCases(task: ArenaTask): readonly ArenaCase[] {
  const cases = known.get(task) ?? chooseCases(task);
  known.set(task, cases);
  return cases;
}

function chooseCases(task: ArenaTask): readonly ArenaCase[] {
  const pool = inputPool(task.family);
  const right = compileProgram(task.program);
  const unrevealed = new Set(bugsOf(task.program, task.family).map((bug) => bug.reveals));
  // The empty input is the first of the pool and always belongs to the tests.
  const chosen = [0];
  for (;;) {
    for (const reveals of unrevealed) if (reveals[chosen.at(-1)!]) unrevealed.delete(reveals);
    const best = mostRevealing(unrevealed, pool);
    if (best === undefined) break;
    chosen.push(best);
  }
  const others = shuffled(seededRandom(`arena gold ${task.slug}`), [...pool.keys()]);
  for (const isMet of kindsToMeet[task.family]) {
    if (chosen.some((index) => isMet(pool[index]!))) continue;
    chosen.push(others.find((index) => isMet(pool[index]!))!);
  }
  for (const index of others) {
    if (chosen.length >= fewestCases) break;
    if (!chosen.includes(index)) chosen.push(index);
  }
  return chosen.map((index) => ({ input: pool[index]!, expected: rightValue(right(pool[index]!)) }));
}

function mostRevealing(
  bugs: ReadonlySet<readonly boolean[]>,
  pool: readonly ArenaInput[],
): number | undefined {
  let best: { index: number; count: number } | undefined;
  for (let index = 0; index < pool.length; index += 1) {
    let count = 0;
    for (const reveals of bugs) if (reveals[index]) count += 1;
    if (count === 0 || (best && count < best.count)) continue;
    if (best && count === best.count && pool[index]!.length >= pool[best.index]!.length) continue;
    best = { index, count };
  }
  return best?.index;
}

function rightValue(answer: Answer): ArenaValue {
  if (answer.kind === "raised") throw new Error("a reference program raised: the arena's parts are wrong");
  return answer.value;
}
