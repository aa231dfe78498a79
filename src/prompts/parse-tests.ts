/**
 * Test replies to test cases. For function problems the tests are asserts (read-condition.ts says which) in fenced
 * blocks or, where no block has any, on bare lines; for stdio problems they are pairs of input and output
 * (parse-pairs.ts). What cannot be read is invalid and says why; one broken line does not lose the others.
 *
 * Total: never throws, runs nothing, takes bounded time. Duplicates are kept: `valueKey` finds them later.
 */
import type { FunctionCase, Problem, TestCase } from "../problems/problem.ts";
import { type InvalidTest, TestCollector } from "./collect-tests.ts";
import { type FencedBlock, findFences, outsideFences } from "./fences.ts";
import { parsePairs } from "./parse-pairs.ts";
import { excerpt, parsePython, type Refused } from "./python-syntax.ts";
import { splitStatements } from "./split-statements.ts";
import { removeThinking } from "./thinking.ts";

export interface ParsedTests {
  readonly cases: readonly TestCase[];
  readonly invalid: readonly InvalidTest[];
}

/** What a reader of tests must know of a problem. */
export type TestTarget = Pick<Problem, "style" | "entryPoint">;

/** Far above what a model writes in 4,096 tokens; reading as much garbage takes well under a second. */
const maximumReplyCharacters = 200_000;
const maximumStatementCharacters = 4_000_000;
const maximumTests = 1_000;

export function parseTests(reply: string, target: TestTarget): ParsedTests {
  if (reply.length > maximumReplyCharacters) {
    const reason = `the reply has ${reply.length} characters, more than ${maximumReplyCharacters}`;
    return { cases: [], invalid: [{ text: excerpt(reply), reason }] };
  }
  const text = removeThinking(reply);
  return target.style === "stdio"
    ? limited(parsePairs(text))
    : limited(parseAsserts(text, target.entryPoint ?? ""));
}

/** The tests in Python code that a data set brings along, such as HumanEval's `check`. */
export function parseTestSource(source: string, entryPoint: string): ParsedTests {
  if (source.length > maximumStatementCharacters) {
    const reason = `has more than ${maximumStatementCharacters} characters`;
    return { cases: [], invalid: [{ text: excerpt(source), reason }] };
  }
  const collector = new TestCollector({ entryPoint, most: maximumTests });
  readCode(source, collector);
  return limited(collector.results);
}

export type StatementResult = { readonly ok: true; readonly case: FunctionCase } | Refused;

/**
 * One test written as a statement, such as a gold test; names may be assigned before it.
 *
 * @example
 * parseTestStatement("assert add(1, 2) == 3", "add");
 */
export function parseTestStatement(text: string, entryPoint: string): StatementResult {
  if (text.length > maximumStatementCharacters) {
    return { ok: false, reason: `has more than ${maximumStatementCharacters} characters` };
  }
  const parsed = parsePython(text.trim());
  if (!parsed.ok) return parsed;
  const collector = new TestCollector({ entryPoint, most: 2 });
  collector.collect(parsed);
  const [first, second] = collector.results;
  if (!first) return { ok: false, reason: `holds no assert of a call of \`${entryPoint}\`` };
  if (second) return { ok: false, reason: "holds more than one test" };
  return "reason" in first ? { ok: false, reason: first.reason } : { ok: true, case: first };
}

function parseAsserts(text: string, entryPoint: string): (FunctionCase | InvalidTest)[] {
  const blocks = findFences(text);
  const collector = new TestCollector({ entryPoint, most: maximumTests });
  for (const block of pythonBlocks(blocks)) readCode(block.code, collector);
  if (collector.results.length === 0) readCode(outsideFences(text, blocks), collector);
  return collector.results;
}

/** Blocks with a Python tag or none; others only where there is nothing else. */
function pythonBlocks(blocks: readonly FencedBlock[]): readonly FencedBlock[] {
  const python = blocks.filter((block) => block.tag === "python" || block.tag === "");
  return python.length > 0 ? python : blocks;
}

function readCode(code: string, collector: TestCollector): void {
  const parsed = parsePython(withoutMargin(code));
  if (parsed.ok) {
    collector.collect(parsed);
    return;
  }
  for (const statement of splitStatements(code)) {
    if (collector.isFull) return;
    const single = parsePython(statement);
    if (single.ok) collector.collect(single);
    else {
      // It may have changed anything.
      collector.forgetNames();
      if (/^(?:assert|self\.assert\w*)\b/.test(statement)) collector.refuse(statement, single.reason);
    }
  }
}

/** Takes off the indentation that all lines share. */
function withoutMargin(code: string): string {
  if (!/^[ \t]/m.test(code)) return code;
  const lines = code.split("\n");
  const margins = lines.filter((line) => line.trim() !== "").map((line) => /^[ \t]*/.exec(line)![0].length);
  const margin = margins.reduce((least, next) => Math.min(least, next), Number.POSITIVE_INFINITY);
  return margin > 0 && Number.isFinite(margin) ? lines.map((line) => line.slice(margin)).join("\n") : code;
}

function limited(results: readonly (TestCase | InvalidTest)[]): ParsedTests {
  const cases: TestCase[] = [];
  const invalid: InvalidTest[] = [];
  for (const result of results.slice(0, maximumTests)) {
    if ("reason" in result) invalid.push(result);
    else cases.push(result);
  }
  if (results.length > maximumTests) {
    invalid.push({ text: "", reason: `more than ${maximumTests} tests: the rest was not read` });
  }
  return { cases, invalid };
}
