/** `spar data validate`: runs every reference, and the wrong programs of pairs, against the gold tests. */
import type { Command } from "commander";
import pc from "picocolors";
import { checkPairs } from "../evaluation/attack/check-pairs.ts";
import { type ReferenceFinding, validateReference } from "../judge/validate-references.ts";
import type { Problem } from "../problems/problem.ts";
import { type DataSet, readDataSet } from "../problems/read-data-set.ts";
import type { PairFile, PairRecord } from "../problems/read-pairs.ts";
import type { ProblemFile } from "../problems/read-problem.ts";
import { writePairs } from "../problems/write-pairs.ts";
import { refuseToOverwrite, writeProblems } from "../problems/write-problems.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { withInterruption } from "./interruption.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import { addSandboxOptions, openSandbox, type SandboxFlags } from "./sandbox-options.ts";
import { recordLimit, visible } from "./shown-text.ts";

interface ValidateFlags extends SandboxFlags {
  readonly limit?: number;
  readonly out?: string;
  readonly force?: true;
  readonly json?: true;
}

/** A record that cannot be used, or not without a doubt. */
interface RowReport {
  readonly row: number;
  readonly id: string | null;
  readonly field: string | null;
  readonly reason: string;
}

export interface ValidationReport {
  readonly file: string;
  readonly rows: number;
  readonly passed: number;
  readonly failed: readonly RowReport[];
  /** Lost to the sandbox: nothing is known about them. */
  readonly unknown: readonly RowReport[];
  readonly warnings: readonly RowReport[];
}

export function addValidateCommand(data: Command): void {
  const command = data
    .command("validate")
    .description(
      "run every reference, and the wrong programs of pairs, against the gold tests and report the rows that fail",
    )
    .argument("<file>", "a problem set, or pairs of problems and wrong programs")
    .option("--limit <n>", "look at the first n rows only", recordLimit)
    .option("--out <file>", "write the rows that can be used: problems in the plain format, or pairs")
    .option("--force", "overwrite the file of --out")
    .option("--json", "print the report as JSON");
  addSandboxOptions(command)
    .addHelpText(
      "after",
      "\nExamples:\n  $ spar data validate problems.jsonl\n  $ spar data validate kodcode.parquet --limit 500 --out usable.jsonl\n  $ spar data validate pairs.jsonl",
    )
    .action(validate);
}

async function validate(file: string, flags: ValidateFlags): Promise<void> {
  if (flags.out !== undefined && !flags.force) await refuseToOverwrite(flags.out);
  const data = await readDataSet(file, flags.limit === undefined ? {} : { limit: flags.limit });
  const report = await withInterruption(async (signal) => {
    const sandbox = await openSandbox(flags);
    try {
      const run = { sandbox, signal };
      const findings =
        data.kind === "pairs" ? await validatePairs(data.set, run) : await validateProblems(data.set, run);
      if (flags.out !== undefined) await writePassing(flags.out, data, findings);
      return reportOf(file, data, findings);
    } finally {
      await sandbox.close();
    }
  });
  if (flags.json) printJson(report);
  else printResult(describe(report, data.kind));
  if (report.failed.length + report.unknown.length > 0) process.exitCode = 1;
}

interface Run {
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
}

async function validateProblems({ records }: ProblemFile, run: Run): Promise<ReferenceFinding[]> {
  printProgress(`running ${records.length} references in the ${run.sandbox.describe().kind} sandbox`);
  const check = async ({ problem }: { problem: Problem }) => [
    await validateReference({ ...run, problem, limits: defaultLimits }),
  ];
  return inLanes(records, check, { ...run, total: records.length, what: "references" });
}

/** Problem by problem, so that each reference runs once. */
async function validatePairs({ records }: PairFile, run: Run): Promise<ReferenceFinding[]> {
  printProgress(
    `running references and wrong programs of ${records.length} pairs in the ${run.sandbox.describe().kind} sandbox`,
  );
  const groups = new Map<Problem, PairRecord[]>();
  for (const record of records) {
    const group = groups.get(record.pair.problem);
    if (group) group.push(record);
    else groups.set(record.pair.problem, [record]);
  }
  const findings = new Map<PairRecord, ReferenceFinding>();
  const check = async (group: readonly PairRecord[]) => {
    const found = await checkPairs({ ...run, limits: defaultLimits, pairs: group.map(({ pair }) => pair) });
    for (const [index, finding] of found.entries()) findings.set(group[index]!, asReference(finding));
    return found;
  };
  await inLanes([...groups.values()], check, { ...run, total: records.length, what: "pairs" });
  return records.map((record) => findings.get(record)!);
}

function asReference(finding: Awaited<ReturnType<typeof checkPairs>>[number]): ReferenceFinding {
  switch (finding.kind) {
    case "usable":
      return { kind: "passes" };
    case "infrastructure":
      return finding;
    case "unchecked":
      return { kind: "fails", field: "gold_tests", reason: "the problem has no test", tests: 0 };
    case "refused": {
      const isAboutReference = !finding.reason.startsWith("the wrong program");
      const field = isAboutReference ? "gold_code" : "buggy_code";
      return { kind: "fails", field, reason: finding.reason, tests: 1 };
    }
  }
}

/** Two items for each worker at a time: one runs while the other's answers are compared. */
async function inLanes<Item, Result>(
  items: readonly Item[],
  check: (item: Item) => Promise<readonly Result[]>,
  { sandbox, total, what }: Run & { readonly total: number; readonly what: string },
): Promise<Result[]> {
  const results: (readonly Result[])[] = new Array(items.length);
  let [next, done] = [0, 0];
  let told = performance.now();
  const lane = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await check(items[index]!);
      done += results[index].length;
      if (performance.now() - told > 2_000) {
        told = performance.now();
        printProgress(`${done} of ${total} ${what} run`);
      }
    }
  };
  await Promise.all(Array.from({ length: 2 * sandbox.describe().workers }, lane));
  return results.flat();
}

async function writePassing(
  out: string,
  data: DataSet,
  findings: readonly ReferenceFinding[],
): Promise<void> {
  const passes = (_: unknown, index: number) => findings[index]!.kind === "passes";
  if (data.kind === "pairs") {
    return writePairs(
      out,
      data.set.records.filter(passes).map(({ pair }) => pair),
    );
  }
  return writeProblems(
    out,
    data.set.records.filter(passes).map(({ problem }) => problem),
  );
}

function reportOf(
  file: string,
  { kind, set }: DataSet,
  findings: readonly ReferenceFinding[],
): ValidationReport {
  const places =
    kind === "pairs"
      ? set.records.map(({ row, pair }) => ({ row, id: pair.id }))
      : set.records.map(({ row, problem }) => ({ row, id: problem.id }));
  const failed: RowReport[] = set.refused.map(({ row, error }) => ({
    row,
    id: null,
    field: null,
    reason: error.hint ? `${error.message}. ${error.hint}` : error.message,
  }));
  const unknown: RowReport[] = [];
  const warnings: RowReport[] = [];
  for (const [index, finding] of findings.entries()) {
    const place = places[index]!;
    if (finding.kind === "infrastructure") unknown.push({ ...place, field: null, reason: finding.message });
    if (finding.kind === "passes" && finding.warning) {
      warnings.push({ ...place, field: "check", reason: finding.warning });
    }
    if (finding.kind === "fails") {
      const more = finding.tests > 1 ? ` (and ${finding.tests - 1} more tests)` : "";
      failed.push({ ...place, field: finding.field, reason: `${finding.reason}${more}` });
    }
  }
  return {
    file,
    rows: set.records.length + set.refused.length,
    passed: findings.filter(({ kind }) => kind === "passes").length,
    failed: failed.sort((left, right) => left.row - right.row),
    unknown,
    warnings,
  };
}

function describe(report: ValidationReport, kind: DataSet["kind"]): string {
  const line = (mark: string) => (entry: RowReport) =>
    `${mark} row ${entry.row}${entry.id === null ? "" : ` ${pc.bold(visible(entry.id))}`}${entry.field === null ? "" : ` ${entry.field}`}: ${visible(entry.reason)}`;
  const warned = report.warnings.length > 0 ? `, ${report.warnings.length} with a warning` : "";
  const lost =
    report.unknown.length > 0
      ? `; ${report.unknown.length} could not be run for want of a working sandbox`
      : "";
  return [
    ...report.failed.map(line(pc.yellow("fails  "))),
    ...report.unknown.map(line(pc.red("unknown"))),
    ...report.warnings.map(line(pc.dim("warning"))),
    `${report.passed} of ${report.rows} rows: the reference passes its own tests${kind === "pairs" ? " and the wrong program fails some" : ""}${warned}; ${report.failed.length} fail${lost}`,
  ].join("\n");
}
