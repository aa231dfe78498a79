/** `spar train --dry-run`: everything that can be checked without training anything. */

import type { TrainingConfig } from "../training/config.ts";
import { trainingItems } from "../training/problem-set.ts";
import { servedAdversary } from "../training/run-adversaries.ts";
import { partialBankText } from "./adversary-warnings.ts";
import { arithmetic } from "./arithmetic.ts";
import { checkRun } from "./check-run.ts";
import { leftOutText } from "./left-out.ts";
import { printJson, printProgress, printResult } from "./output.ts";

export async function dryRun(
  config: TrainingConfig,
  { startFolder, json }: { startFolder: string; json: boolean },
): Promise<void> {
  const { problemSet, leftOut, bank, engineChecked } = await checkRun(config, startFolder);
  if (!engineChecked) {
    printProgress(
      `the engine '${config.engine.kind}' is not part of this version: everything else is checked`,
    );
  }
  if (leftOut.length > 0) printProgress(leftOutText(leftOut));
  if (bank) printProgress(partialBankText(bank));
  const served = servedAdversary(config);
  if (served !== undefined)
    printProgress(`the adversary ${served} is asked when the training starts; no request was made now`);
  if (config.problems.source === "file") {
    printProgress(
      `references are run when the training starts; \`spar data validate ${config.problems.path}\` runs them now`,
    );
  }
  const lines = arithmetic(config, trainingItems(problemSet));
  if (json) {
    const problems = { training: trainingItems(problemSet), heldOut: problemSet.heldOut.length, leftOut };
    printJson({ valid: true, engineChecked, problems, arithmetic: lines.split("\n"), config });
    return;
  }
  printResult(lines);
  printResult("The configuration is valid. Nothing was started.");
}
