/**
 * What `POST /reward` takes: replies of a coder, each with the suite it is scored by. The suite is one that the server
 * was started with (`problem`), or stands in the item itself (`tests`, and `entryPoint` for functions).
 */
import { z } from "zod";
import type { Suite } from "../evaluation/suite-file.ts";
import { comparisonSchema } from "../evaluation/suite-file.ts";
import type { TestCase } from "../problems/problem.ts";
import { suiteRewards } from "../rewards/suite-reward.ts";
import { limitsSchema } from "../sandbox/limits.ts";
import { entryPointSchema, jobIdSchema, maximumCases, maximumJobs } from "../sandbox/remote/run-protocol.ts";
import { exactComparison } from "../values/compare.ts";
import { readTest, testSchema } from "./judge-request.ts";
import { RequestRefused } from "./request-refused.ts";

/** docs/serve.md has no more than a link to it. */
const whereToLook = "docs/reward-source.md shows what /reward takes.";

const itemSchema = z
  .strictObject({
    id: jobIdSchema.optional(),
    code: z.string().optional(),
    solution: z.string().optional(),
    problem: z.union([z.string(), z.number()]).optional(),
    tests: z.array(testSchema).max(maximumCases).optional(),
    entryPoint: entryPointSchema.optional(),
    style: z.enum(["function", "stdio"]).optional(),
    comparison: comparisonSchema.optional(),
    limits: limitsSchema.optional(),
  })
  .refine(({ code, solution }) => (code === undefined) !== (solution === undefined), {
    error: "an item needs one of code and solution",
  })
  .refine(({ problem, tests }) => problem !== undefined || tests !== undefined, {
    error: "an item needs a problem whose suite is known, or tests",
  });

const rewardRequestSchema = z.strictObject({
  items: z.array(itemSchema).min(1).max(maximumJobs),
  reward: z.enum(suiteRewards).default("pass-rate"),
});

export type RewardItem = z.infer<typeof itemSchema>;

/** A body as checked data. */
export function readRewardRequest(body: unknown): z.output<typeof rewardRequestSchema> {
  const parsed = rewardRequestSchema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw refused("invalid-request", z.prettifyError(parsed.error).slice(0, 2000), whereToLook);
}

/** An item ready to be scored. */
export interface RewardJob {
  readonly id?: string | number | undefined;
  readonly reply: string;
  readonly suite: Suite;
  /** Why tests of the item cannot be read, one reason for each; they count neither way. */
  readonly invalid: readonly string[];
}

/** Refuses an item that nobody could score: the caller's mistake, which must not look like a bad program. */
export function readItem(item: RewardItem, index: number, suites: ReadonlyMap<string, Suite>): RewardJob {
  const { id } = item;
  const reply = (item.code ?? item.solution)!;
  const known = item.problem === undefined ? undefined : suites.get(String(item.problem));
  if (!known && !item.tests) {
    throw refused(
      "unknown-problem",
      `items[${index}]: there is no suite for the problem '${String(item.problem).slice(0, 200)}'`,
      suites.size === 0
        ? "Start the server with --suites FILE, or send the tests with the item."
        : `The server knows suites of ${suites.size} problems; send the tests with the item for others.`,
    );
  }
  // The very same suite, so that the same reply twice is known for what it is.
  if (known && isPlain(item)) return { id, reply, suite: known, invalid: [] };
  const style = item.style ?? known?.style ?? (item.entryPoint === undefined ? "stdio" : "function");
  const entryPoint = item.entryPoint ?? known?.entryPoint;
  if (style === "function" && entryPoint === undefined) throw needsEntryPoint(index);
  if (item.tests && areOfOtherStyle(item.tests, style)) {
    if (item.style === undefined && !known && style === "stdio") throw needsEntryPoint(index);
    const found = style === "stdio" ? "calls" : "pairs of input and output";
    const message = `items[${index}]: the style is ${style}, and all tests are ${found}`;
    throw refused("invalid-request", message, whereToLook);
  }
  const read = item.tests?.map((test) => readTest(test, { style, entryPoint }));
  const tests = read?.filter((test): test is TestCase => !("reason" in test)) ?? known!.tests;
  const invalid = read?.flatMap((test) => ("reason" in test ? [test.reason] : [])) ?? [];
  const limits = item.limits ?? known?.limits;
  const comparison = item.comparison ?? known?.comparison ?? exactComparison;
  const suite: Suite = { style, entryPoint, comparison, tests, ...(limits && { limits }) };
  return { id, reply, suite, invalid };
}

/** That no test is of the style says that the request is wrong, not that somebody wrote bad tests. */
function areOfOtherStyle(tests: NonNullable<RewardItem["tests"]>, style: Suite["style"]): boolean {
  const styleOf = (test: (typeof tests)[number]) =>
    typeof test === "object" && "input" in test ? "stdio" : "function";
  return tests.length > 0 && tests.every((test) => styleOf(test) !== style);
}

function needsEntryPoint(index: number): RequestRefused {
  return refused("invalid-request", `items[${index}]: tests of a function need an entryPoint`, whereToLook);
}

/** Whether the item says nothing but which problem it is about. */
function isPlain({ tests, entryPoint, style, comparison, limits }: RewardItem): boolean {
  return [tests, entryPoint, style, comparison, limits].every((part) => part === undefined);
}

function refused(code: string, message: string, hint?: string): RequestRefused {
  return new RequestRefused({ status: 422, code, message, ...(hint !== undefined && { hint }) });
}
