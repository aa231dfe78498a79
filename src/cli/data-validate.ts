/** `spar data validate`: runs every reference against its own tests. */
import type { Command } from "commander";
import pc from "picocolors";
import { type ReferenceFinding, validateReference } from "../judge/validate-references.ts";
import { type ProblemFile, type ProblemRecord, readProblemSet } from "../problems/read-problem.ts";
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
    .description("run every reference against its own tests and report the rows that fail")
    .argument("<file>", "a problem set")
    .option("--limit <n>", "look at the first n rows only", recordLimit)
    .option("--out <file>", "write the problems whose reference passes, in the plain format")
    .option("--force", "overwrite the file of --out")
    .option("--json", "print the report as JSON");
  addSandboxOptions(command)
    .addHelpText(
      "after",
      "\nExamples:\n  $ spar data validate problems.jsonl\n  $ spar data validate kodcode.parquet --limit 500 --out usable.jsonl",
    )
    .action(validate);
}

async function validate(file: string, flags: ValidateFlags): Promise<void> {
  if (flags.out !== undefined && !flags.force) await refuseToOverwrite(flags.out);
  const set = await readProblemSet(file, flags.limit === undefined ? {} : { limit: flags.limit });
  const report = await withInterruption(async (signal) => {
    const sandbox = await openSandbox(flags);
    try {
      const findings = await validateAll(set.records, { sandbox, signal });
      if (flags.out !== undefined) {
        const passing = set.records.filter((_, index) => findings[index]!.kind === "passes");
        await writeProblems(
          flags.out,
          passing.map(({ problem }) => problem),
        );
      }
      return reportOf(file, set, findings);
    } finally {
      await sandbox.close();
    }
  });
  if (flags.json) printJson(report);
  else printResult(describe(report));
  if (report.failed.length + report.unknown.length > 0) process.exitCode = 1;
}

async function validateAll(
  records: readonly ProblemRecord[],
  { sandbox, signal }: { sandbox: Sandbox; signal: AbortSignal },
): Promise<ReferenceFinding[]> {
  const findings: ReferenceFinding[] = new Array(records.length);
  let next = 0;
  let done = 0;
  let told = performance.now();
  printProgress(`running ${records.length} references in the ${sandbox.describe().kind} sandbox`);
  const lane = async () => {
    while (next < records.length) {
      const index = next;
      next += 1;
      const { problem } = records[index]!;
      findings[index] = await validateReference({ sandbox, problem, limits: defaultLimits, signal });
      done += 1;
      if (performance.now() - told > 2_000) {
        told = performance.now();
        printProgress(`${done} of ${records.length} references run`);
      }
    }
  };
  // Two for each worker: one runs while the other's answers are compared.
  await Promise.all(Array.from({ length: 2 * sandbox.describe().workers }, lane));
  return findings;
}

function reportOf(file: string, set: ProblemFile, findings: readonly ReferenceFinding[]): ValidationReport {
  const failed: RowReport[] = set.refused.map(({ row, error }) => ({
    row,
    id: null,
    field: null,
    reason: error.hint ? `${error.message}. ${error.hint}` : error.message,
  }));
  const unknown: RowReport[] = [];
  const warnings: RowReport[] = [];
  for (const [index, finding] of findings.entries()) {
    const { row, problem } = set.records[index]!;
    const place = { row, id: problem.id };
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

function describe(report: ValidationReport): string {
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
    `${report.passed} of ${report.rows} rows: the reference passes its own tests${warned}; ${report.failed.length} fail${lost}`,
  ].join("\n");
}
