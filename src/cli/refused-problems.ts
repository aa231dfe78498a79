/**
 * Problems whose prompt a model does not take, such as one that is too long for its context or that a filter removes.
 * They are named and left out: asked again they would be turned down again, and the others must not wait for them.
 */
import { SparringError } from "../errors.ts";
import type { Problem } from "../problems/problem.ts";
import { printProgress } from "./output.ts";
import { visible } from "./shown-text.ts";

export interface RefusedProblem {
  readonly problem: string;
  readonly reason: string;
}

export type Attempt<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly refused: RefusedProblem };

/** Whatever else goes wrong is thrown: a wrong key, a server that is down. */
export async function unlessRefused<Result>(
  problem: Problem,
  work: () => Promise<Result>,
): Promise<Attempt<Result>> {
  try {
    return { ok: true, result: await work() };
  } catch (error) {
    if (!(error instanceof SparringError && error.code === "engine-prompt-refused")) throw error;
    printProgress(`left out ${visible(problem.id)}: ${visible(error.message)}`);
    return { ok: false, refused: { problem: problem.id, reason: error.message } };
  }
}
