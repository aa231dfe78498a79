/**
 * The reply of ATGEN's generator: one `<think>` block, then one `<answer>` block, and nothing else but white space.
 * The answer holds one test: for stdio problems a JSON object with `input` and `output`, for function problems one
 * assert. A fence around it is allowed. The published text does not give the syntax inside `<answer>`; this one is
 * our own choice, and atgen-prompt.ts asks for it.
 */
import type { TestCase } from "../problems/problem.ts";
import { findFences } from "./fences.ts";
import { readPair } from "./parse-pairs.ts";
import { parseTestStatement, type TestTarget } from "./parse-tests.ts";
import type { Refused } from "./python-syntax.ts";

export type AtgenReply = { readonly ok: true; readonly case: TestCase } | Refused;

const tags = ["<think>", "</think>", "<answer>", "</answer>"] as const;
const maximumCharacters = 200_000;

/** The one test of a reply, or why its format is wrong. Never throws. */
export function parseAtgenReply(reply: string, target: TestTarget): AtgenReply {
  if (reply.length > maximumCharacters)
    return refuse(`the reply has more than ${maximumCharacters} characters`);
  const parts: string[] = [];
  let rest = reply;
  for (const tag of tags) {
    const [before, after, more] = rest.split(tag, 3);
    if (after === undefined) return refuse(`\`${tag}\` is missing or out of place`);
    if (more !== undefined) return refuse(`\`${tag}\` occurs more than once`);
    parts.push(before!);
    rest = after;
  }
  const [lead, thinking, between, answer] = parts as [string, string, string, string];
  const misplaced = tags.find((tag) => thinking.includes(tag) || answer.includes(tag) || rest.includes(tag));
  if (misplaced) return refuse(`\`${misplaced}\` is missing or out of place`);
  if (`${lead}${between}${rest}`.trim() !== "") return refuse("there is text outside the two blocks");
  return readAnswer(withoutFence(answer.trim()), target);
}

function withoutFence(answer: string): string {
  const [block, another] = findFences(answer);
  const isAll = block && !another && block.from === 0 && block.to === answer.length;
  return isAll ? block.code.trim() : answer;
}

function readAnswer(answer: string, target: TestTarget): AtgenReply {
  if (target.style === "function") return parseTestStatement(answer, target.entryPoint ?? "");
  try {
    return readPair(JSON.parse(answer));
  } catch {
    return refuse("the answer is not valid JSON");
  }
}

function refuse(reason: string): Refused {
  return { ok: false, reason };
}
