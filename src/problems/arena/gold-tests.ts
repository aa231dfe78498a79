/**
 * Gold tests of a task: a few inputs that tell the right program from every bug in the catalogue, and a few more
 * for the ways of going wrong that the catalogue does not know. Chosen greedily: always the input that reveals the
 * most bugs not revealed yet, the shorter one first.
 */
import { bugsOf } from "./bugs.ts";
import { type Answer, compileProgram } from "./evaluate.ts";
import { inputPool } from "./inputs.ts";
import type { ArenaInput, ArenaValue } from "./program.ts";
import { seededRandom, shuffled } from "./random.ts";
import type { ArenaTask } from "./tasks.ts";

export interface ArenaCase {
  readonly input: ArenaInput;
  readonly expected: ArenaValue;
}

const fewestCases = 10;

export function goldCases(task: ArenaTask): readonly ArenaCase[] {
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
