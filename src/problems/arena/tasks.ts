/**
 * All tasks of the arena: every combination of a pick, a change and an ending, less those that say the same as an
 * earlier one. Two tasks are the same when they agree on every input of the pool; the plainer wording stays. So no
 * held-out task is a training task in other words.
 */
import { answerKey, compileProgram } from "./evaluate.ts";
import { inputPool } from "./inputs.ts";
import { type Change, type Ending, type Level, type Pick, partsOf } from "./parts.ts";
import type { Program } from "./program.ts";
import { choose, seededRandom } from "./random.ts";
import type { Family } from "./render-python.ts";

export type Split = "train" | "held-out";
export type Difficulty = "easy" | "medium" | "hard";

export interface ArenaTask {
  /** The question in lower case with hyphens: unique and stable. */
  readonly slug: string;
  readonly family: Family;
  readonly question: string;
  readonly program: Program;
  readonly difficulty: Difficulty;
  readonly split: Split;
  readonly parts: { readonly pick: string; readonly change: string; readonly ending: string };
}

/** The share of tasks that no training, supervised or by reinforcement, may see. */
const heldOutShare = 0.12;

let known: readonly ArenaTask[] | undefined;

/** In a fixed order that mixes families, parts and difficulties, so that any prefix is a fair sample. */
export function arenaTasks(): readonly ArenaTask[] {
  known ??= [...tasksOf("numbers"), ...tasksOf("words")]
    .map((task) => ({ task, place: seededRandom(`arena order ${task.slug}`).next() }))
    .sort((left, right) => left.place - right.place)
    .map(({ task }) => task);
  return known;
}

function tasksOf(family: Family): ArenaTask[] {
  const { picks, changes, endings } = partsOf(family);
  const pool = inputPool(family);
  const seen = new Set<string>();
  const tasks: ArenaTask[] = [];
  for (const ending of endings) {
    for (const change of changes) {
      if (change.words !== "" && ending.seesChange === "no") continue;
      for (const pick of picks) {
        const task = compose({ family, pick, change, ending });
        const run = compileProgram(task.program);
        const behaviour = pool.map((input) => answerKey(run(input))).join("|");
        if (seen.has(behaviour)) continue;
        seen.add(behaviour);
        tasks.push(task);
      }
    }
  }
  return tasks;
}

const difficulties: Readonly<Record<Level, Difficulty>> = { 1: "easy", 2: "medium", 3: "hard" };

function compose(parts: { family: Family; pick: Pick; change: Change; ending: Ending }): ArenaTask {
  const { family, pick, change, ending } = parts;
  const changeWords = change.words === "" ? "" : `, ${change.words}`;
  const fallback = fallbackOf(ending, `${ending.words} ${pick.words}${changeWords}`);
  const fallbackWords = fallback === undefined ? "" : `; ${fallback} if none`;
  const question = `${ending.words} ${pick.words}${changeWords}${fallbackWords}`;
  const slug = slugOf(question);
  const level = Math.max(pick.level, ending.level, family === "words" ? 2 : 1) as Level;
  return {
    slug,
    family,
    question,
    program: {
      preparation: "none",
      source: pick.source,
      filter: pick.filter,
      change: change.expression,
      finish: { kind: ending.kind, fallback },
    },
    difficulty: difficulties[level],
    split: seededRandom(`arena split ${slug}`).next() < heldOutShare ? "held-out" : "train",
    parts: { pick: pick.words, change: change.words, ending: ending.words },
  };
}

/** Fixed by the rest of the question, so that two tasks never differ in their fallback alone. */
function fallbackOf(ending: Ending, words: string): number | string | undefined {
  return ending.fallbacks.length === 0
    ? undefined
    : choose(seededRandom(`arena fallback ${words}`), ending.fallbacks);
}

function slugOf(question: string): string {
  const spelled = question.replaceAll("-2", "minus 2").replaceAll("-1", "minus 1");
  return spelled
    .replace("; -", "; dash")
    .replace("; *", "; star")
    .replace(/[^a-z0-9]+/g, "-");
}
