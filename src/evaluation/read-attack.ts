/** The test of a generator's reply. One that was cut off is no test, whatever can be read from its beginning. */
import type { Completion } from "../engine/completion.ts";
import type { Problem } from "../problems/problem.ts";
import type { Dialect, ReadTest } from "../prompts/dialect.ts";

export function readAttack(
  dialect: Dialect,
  problem: Problem,
  { text, stopReason }: Pick<Completion, "text" | "stopReason">,
): ReadTest {
  if (stopReason === "length") return { ok: false, reason: "the reply was cut off at the length limit" };
  return dialect.readAttack(problem, text);
}
