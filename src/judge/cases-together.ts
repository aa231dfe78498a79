/**
 * A program has a budget for all its cases together, and those after it are timed out unrun: right for a candidate,
 * whose fate is one. Where each case has to stand for itself, no more of them run together than the budget holds at
 * their worst.
 */
import type { Limits } from "../sandbox/limits.ts";

/** Loading the program may take as long as a case. */
export function casesTogether({ programCpuSeconds, caseCpuSeconds }: Limits): number {
  return Math.max(1, Math.floor(programCpuSeconds / caseCpuSeconds) - 1);
}

export function inBatches<Item>(items: readonly Item[], size: number): Item[][] {
  const batches: Item[][] = [];
  for (let start = 0; start < items.length; start += size) batches.push(items.slice(start, start + size));
  return batches;
}

/** Whether this case was not run at all because the time for all of them was up, which says nothing about it. */
export function isUnrun(result: { readonly kind: string; readonly limit?: string }): boolean {
  return result.kind === "timed-out" && result.limit === "program";
}
