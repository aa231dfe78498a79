/**
 * Which completions teach which policy, with which advantage: the candidates of a question form one group; the suites
 * of one program form one group, and of a question's programs (the candidates, and the tester's other opponents) only
 * those whose suites differ most are used.
 */

import type { Completion } from "../engine/completion.ts";
import { groupAdvantages } from "../learning/group-advantages.ts";
import { selectTopVariance } from "../learning/select-groups.ts";
import type { AdvantagedCompletion } from "../learning/training-records.ts";
import type { QuestionRollout } from "./rollout.ts";
import type { QuestionScores } from "./score-question.ts";

export interface Lessons {
  /** One entry for each question. */
  readonly groups: readonly (readonly AdvantagedCompletion[])[];
  readonly total: number;
  /** Groups whose rewards were all the same. */
  readonly withoutVariance: number;
  /** Groups with fewer than two usable members. */
  readonly tooSmall: number;
}

export interface TeachingRules {
  readonly trainedCandidates: number;
  readonly zeroVarianceGroups: "keep" | "skip";
}

interface Scored {
  readonly rollout: QuestionRollout;
  readonly scores: QuestionScores;
}

export function codeLessons(scored: readonly Scored[], rules: TeachingRules): Lessons {
  return lessons(
    scored.map(({ rollout, scores }) => [
      { completions: rollout.candidates.map(({ completion }) => completion), rewards: scores.code },
    ]),
    rules,
  );
}

export function testLessons(scored: readonly Scored[], rules: TeachingRules): Lessons {
  return lessons(
    scored.map(({ rollout, scores }) => {
      const programs = [...rollout.candidates, ...rollout.opponents];
      const rewards = [...scores.test, ...scores.opponents].map((suites) =>
        suites.map((suite) => suite?.reward),
      );
      return selectTopVariance(rewards, rules.trainedCandidates).map((index) => ({
        completions: programs[index]!.suites.map(({ completion }) => completion),
        rewards: rewards[index]!,
      }));
    }),
    rules,
  );
}

/** Completions that are compared with each other. */
export interface Group {
  readonly completions: readonly Completion[];
  readonly rewards: readonly (number | undefined)[];
}

export function lessons(
  groupsByQuestion: readonly (readonly Group[])[],
  rules: Pick<TeachingRules, "zeroVarianceGroups">,
): Lessons {
  const counts = { total: 0, withoutVariance: 0, tooSmall: 0 };
  const groups = groupsByQuestion.map((groupsOfQuestion) =>
    groupsOfQuestion.flatMap(({ completions, rewards }) => {
      counts.total += 1;
      const result = groupAdvantages(rewards);
      if (result.kind === "too-few") {
        counts.tooSmall += 1;
        return [];
      }
      if (result.kind === "no-variance") {
        counts.withoutVariance += 1;
        if (rules.zeroVarianceGroups === "skip") return [];
      }
      return completions.flatMap((completion, index) => {
        const advantage = result.advantages[index];
        return advantage === undefined ? [] : [{ completion, advantage }];
      });
    }),
  );
  return { groups, ...counts };
}
