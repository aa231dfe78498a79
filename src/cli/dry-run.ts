/** `spar train --dry-run`: everything that can be checked without training anything. */

import type { TrainingConfig } from "../training/config.ts";
import { openTeam } from "../training/open-players.ts";
import { loadProblemSet, trainingItems } from "../training/problem-set.ts";
import { type LeftOut, leaveOutLongPrompts } from "../training/usable-problems.ts";
import { leftOutText } from "./left-out.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import { arithmetic } from "./training-view.ts";

export async function dryRun(
  config: TrainingConfig,
  { startFolder, json }: { startFolder: string; json: boolean },
): Promise<void> {
  let problemSet = await loadProblemSet(config);
  let leftOut: readonly LeftOut[] = [];
  const engineIsHere = config.engine.kind === "embedded";
  if (engineIsHere) {
    const { engine, players } = await openTeam(config, startFolder);
    try {
      ({ problemSet, leftOut } = leaveOutLongPrompts(problemSet, { config, players }));
    } finally {
      await engine.close();
    }
  } else {
    printProgress(
      `the engine '${config.engine.kind}' is not part of this version: everything else is checked`,
    );
  }
  if (leftOut.length > 0) printProgress(leftOutText(leftOut));
  if (config.problems.source === "file") {
    printProgress(
      `references are run when the training starts; \`spar data validate ${config.problems.path}\` runs them now`,
    );
  }
  const lines = arithmetic(config, trainingItems(problemSet));
  if (json) {
    const problems = { training: trainingItems(problemSet), heldOut: problemSet.heldOut.length, leftOut };
    printJson({ valid: true, engineChecked: engineIsHere, problems, arithmetic: lines.split("\n"), config });
    return;
  }
  printResult(lines);
  printResult("The configuration is valid. Nothing was started.");
}
