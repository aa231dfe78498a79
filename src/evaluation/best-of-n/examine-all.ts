/**
 * Examines the problems of a set, a few at a time, and never one twice: what is finished is in the journal, found again
 * by the content of everything it depends on. A process that is killed and started again goes on where it was, and
 * changed files cannot be mixed up with old results.
 */
import { inLanes } from "../../in-lanes.ts";
import type { Problem } from "../../problems/problem.ts";
import type { KeyedJournal } from "../../runs/keyed-journal.ts";
import { type Examination, examinationKey, examineProblem, type ProblemSamples } from "./examine-problem.ts";
import type { ExaminedProblem } from "./examined-problem.ts";
import { lostAnswer } from "./question-book.ts";

export interface FinishedProblem {
  readonly samples: ProblemSamples;
  readonly examined: ExaminedProblem;
  /** Whether it was in the journal. */
  readonly known: boolean;
}

export interface ExamineAllOptions {
  readonly problems: readonly Problem[];
  /** Where programs and tests come from: files or models. A problem without samples is left out. */
  readonly samplesOf: (problem: Problem) => Promise<ProblemSamples | undefined>;
  readonly examination: Examination;
  readonly journal: KeyedJournal<ExaminedProblem>;
  /** Problems under way at the same time. */
  readonly atOnce: number;
  readonly onFinished?: (finished: FinishedProblem) => void;
}

/** In the order of the problems. */
export async function examineAll(options: ExamineAllOptions): Promise<FinishedProblem[]> {
  const { problems, examination, journal, atOnce } = options;
  const finished = await inLanes(problems, {
    atOnce,
    run: async (problem) => {
      const samples = await options.samplesOf(problem);
      if (!samples) return undefined;
      const key = examinationKey(samples, examination);
      const before = journal.get(key);
      const examined = before && isWhole(before) ? before : await examineProblem(samples, examination);
      const known = examined === before;
      if (!known) journal.set(key, examined);
      const finished = { samples, examined, known };
      options.onFinished?.(finished);
      return finished;
    },
  });
  return finished.filter((each) => each !== undefined);
}

/** What our own infrastructure lost is tried again the next time. */
function isWhole({ gold, answers }: ExaminedProblem): boolean {
  return !gold.includes("lost") && !answers.some((row) => row.includes(lostAnswer));
}
