/** The tables of a comparison: a row for each method, means with their 95 % intervals over seeds. */
import { type MeanInterval, meanInterval } from "../evaluation/intervals.ts";
import type { TrainingOutcome } from "../training/train.ts";
import type { Column, Plan } from "./compare-plans.ts";
import { counted } from "./counted.ts";

export interface TableRow {
  readonly label: string;
  /** By column. */
  readonly values: Readonly<Record<string, MeanInterval | undefined>>;
}

export function tableRows(plan: Plan, outcomes: ReadonlyMap<string, readonly TrainingOutcome[]>): TableRow[] {
  const columns = plan.tables.flatMap((table) => table.columns);
  return plan.rows.map(({ label, arm, when }) => {
    const over = ({ read }: Column) => {
      const values = outcomes.get(arm)!.flatMap((outcome) => {
        const measurement = outcome[when];
        return measurement ? (read(measurement) ?? []) : [];
      });
      return values.length > 0 ? meanInterval(values) : undefined;
    };
    return { label, values: Object.fromEntries(columns.map((column) => [column.title, over(column)])) };
  });
}

const width = { label: 20, value: 15 };

export interface TableTitle {
  readonly steps: number;
  readonly seeds: number;
  /** What the figures are of, for example "200 held-out problems". */
  readonly measuredOn: string;
}

export function tables(plan: Plan, rows: readonly TableRow[], title: TableTitle): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const table = ({ title, columns }: Plan["tables"][number]) => [
    "",
    line([title.padEnd(width.label), ...columns.map((column) => column.title.padEnd(width.value))]),
    line(["-".repeat(width.label), ...columns.map(() => "-".repeat(width.value))]),
    ...rows
      .filter(({ values }) => columns.some((column) => values[column.title]))
      .map(({ label, values }) =>
        line([label.padEnd(width.label), ...columns.map((column) => cell(values[column.title]))]),
      ),
  ];
  const size = `${counted(title.steps, "step")}, ${counted(title.seeds, "seed")}`;
  return [
    `${size}, measured on ${title.measuredOn}; ± is the 95 % interval over seeds`,
    ...plan.tables.flatMap(table),
  ].join("\n");
}

function cell(value: MeanInterval | undefined): string {
  if (!value) return "–".padEnd(width.value);
  const margin = value.margin === undefined ? "" : ` ± ${value.margin.toFixed(3)}`;
  return `${value.mean.toFixed(3)}${margin}`.padEnd(width.value);
}
