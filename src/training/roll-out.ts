/**
 * One step's rollouts: problems → candidates → suites → verdicts, as a stream. A candidate's old mistakes are replayed
 * the moment it exists; the suites of a question are asked for when its candidates are there; a candidate is judged
 * when its last suite has been read. Nothing waits for the whole batch.
 *
 * Results are placed by index, so that the order in which things happen to finish changes nothing.
 */
import { enginePrompt } from "../evaluation/engine-prompt.ts";
import { Question } from "./question.ts";
import type { Assignment, QuestionRollout, RollOutSettings } from "./rollout.ts";

export async function rollOut(
  assignments: readonly Assignment[],
  settings: RollOutSettings,
): Promise<QuestionRollout[]> {
  const { codePolicy, dialect, candidates, signal } = settings;
  const requests = assignments.map(({ problem }) => ({
    prompt: enginePrompt(codePolicy, dialect.codePrompt(problem)),
    samples: candidates,
    key: problem.id,
  }));
  const questions = assignments.map((assignment) => new Question(assignment, settings));
  const finished: Promise<QuestionRollout>[] = [];
  settings.stages.begin("code_sampling");
  try {
    for await (const sampled of codePolicy.sample(requests, settings.codeSampling, { signal })) {
      const question = questions[sampled.requestIndex]!;
      question.add(sampled.sampleIndex, sampled.completion);
      if (question.complete) finished[sampled.requestIndex] = question.finish();
    }
    settings.stages.end("code_sampling");
  } catch (error) {
    // Whatever is under way ends with the same signal; nobody is waiting for it any more.
    for (const promise of finished) promise?.catch(() => {});
    throw error;
  }
  return Promise.all(finished);
}
