/** A file that holds problems or pairs, whichever it turns out to be. */
import { arePairs, type PairFile, readPairRows } from "./read-pairs.ts";
import { type ProblemFile, readProblemRows } from "./read-problem.ts";
import { readFileRows } from "./read-rows.ts";

export type DataSet =
  | { readonly kind: "problems"; readonly set: ProblemFile }
  | { readonly kind: "pairs"; readonly set: PairFile };

export async function readDataSet(file: string, options: { readonly limit?: number } = {}): Promise<DataSet> {
  const rows = await readFileRows(file, options.limit);
  return arePairs(rows)
    ? { kind: "pairs", set: readPairRows(rows, file) }
    : { kind: "problems", set: readProblemRows(rows, file) };
}
