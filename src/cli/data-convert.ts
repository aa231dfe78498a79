/** `spar data convert`: any known format to the plain one. */
import type { Command } from "commander";
import { type ProblemFile, readProblemSet } from "../problems/read-problem.ts";
import { refuseToOverwrite, writeProblems } from "../problems/write-problems.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import { recordLimit, visible } from "./shown-text.ts";

interface ConvertFlags {
  readonly limit?: number;
  readonly force?: true;
  readonly json?: true;
}

export function addConvertCommand(data: Command): void {
  data
    .command("convert")
    .description("write a problem set in the plain format (jsonl) and say what could not be kept")
    .argument("<file>", "a problem set")
    .argument("<out>", "the file to write")
    .option("--limit <n>", "take the first n rows only", recordLimit)
    .option("--force", "overwrite the file")
    .option("--json", "print the summary as JSON")
    .addHelpText("after", "\nExample:\n  $ spar data convert kodcode.parquet problems.jsonl")
    .action(convert);
}

async function convert(file: string, out: string, flags: ConvertFlags): Promise<void> {
  if (!flags.force) await refuseToOverwrite(out);
  const set = await readProblemSet(file, flags.limit === undefined ? {} : { limit: flags.limit });
  const [firstRefused] = set.refused;
  if (set.records.length === 0 && firstRefused) throw firstRefused.error;
  await writeProblems(
    out,
    set.records.map(({ problem }) => problem),
  );
  const summary = summarize(set);
  if (flags.json) {
    printJson({ out, ...summary });
    return;
  }
  for (const { row, reason } of summary.leftOut) printProgress(`left out row ${row}: ${visible(reason)}`);
  const fields = Object.entries(summary.fieldsNotKept).map(
    ([name, rows]) => `${visible(name)} (${rows} rows)`,
  );
  if (fields.length > 0) printProgress(`fields not kept: ${fields.join(", ")}`);
  if (summary.withCheck > 0) {
    printProgress(
      `${summary.withCheck} problems have tests that are no plain asserts: they stay as check programs`,
    );
  }
  printResult(`wrote ${summary.problems} of ${summary.rows} rows to ${out}`);
}

function summarize({ records, refused }: ProblemFile) {
  const fieldsNotKept: Record<string, number> = {};
  for (const name of records.flatMap(({ unusedFields }) => unusedFields)) {
    fieldsNotKept[name] = (fieldsNotKept[name] ?? 0) + 1;
  }
  return {
    rows: records.length + refused.length,
    problems: records.length,
    withCheck: records.filter(({ problem }) => problem.check !== undefined).length,
    leftOut: refused.map(({ row, error }) => ({ row, reason: error.message })),
    fieldsNotKept,
  };
}
