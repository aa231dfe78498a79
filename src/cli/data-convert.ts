/** `spar data convert`: problems of any known format to the plain one, pairs to jsonl or parquet. */
import type { Command } from "commander";
import { SparringError } from "../errors.ts";
import { type DataSet, readDataSet } from "../problems/read-data-set.ts";
import { writePairs } from "../problems/write-pairs.ts";
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
    .description(
      "write problems in the plain format (jsonl), pairs as jsonl or parquet, and say what could not be kept",
    )
    .argument("<file>", "a problem set, or pairs of problems and wrong programs")
    .argument("<out>", "the file to write")
    .option("--limit <n>", "take the first n rows only", recordLimit)
    .option("--force", "overwrite the file")
    .option("--json", "print the summary as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ spar data convert kodcode.parquet problems.jsonl\n  $ spar data convert pairs.jsonl pairs.parquet",
    )
    .action(convert);
}

async function convert(file: string, out: string, flags: ConvertFlags): Promise<void> {
  if (!flags.force) await refuseToOverwrite(out);
  const data = await readDataSet(file, flags.limit === undefined ? {} : { limit: flags.limit });
  const [firstRefused] = data.set.refused;
  if (data.set.records.length === 0 && firstRefused) throw firstRefused.error;
  await write(out, data);
  const summary = summarize(data);
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
  printResult(`wrote ${data.set.records.length} of ${summary.rows} rows to ${out}`);
}

async function write(out: string, data: DataSet): Promise<void> {
  if (data.kind === "pairs") {
    return writePairs(
      out,
      data.set.records.map(({ pair }) => pair),
    );
  }
  if (out.endsWith(".parquet")) {
    throw new SparringError({
      code: "wrong-use",
      message: "problems are written as jsonl; only pairs can be written as parquet",
      hint: "Choose a name that ends in .jsonl.",
    });
  }
  return writeProblems(
    out,
    data.set.records.map(({ problem }) => problem),
  );
}

function summarize({ kind, set: { records, refused } }: DataSet) {
  const fieldsNotKept: Record<string, number> = {};
  for (const name of records.flatMap(({ unusedFields }) => unusedFields)) {
    fieldsNotKept[name] = (fieldsNotKept[name] ?? 0) + 1;
  }
  const checks = records.map((record) => ("pair" in record ? record.pair.problem : record.problem).check);
  return {
    rows: records.length + refused.length,
    ...(kind === "pairs" ? { pairs: records.length } : { problems: records.length }),
    withCheck: checks.filter((check) => check !== undefined).length,
    leftOut: refused.map(({ row, error }) => ({ row, reason: error.message })),
    fieldsNotKept,
  };
}
