/**
 * Pairs of input and output for stdio problems, written as JSON: an object `{"input": …, "output": …}`, a list of
 * such objects, one object per line, or `{"inputs": […], "outputs": […]}`; in a fenced block or bare.
 */
import type { StdioCase } from "../problems/problem.ts";
import type { InvalidTest } from "./collect-tests.ts";
import { findFences } from "./fences.ts";
import { excerpt, type Refused } from "./python-syntax.ts";

export type PairResult = { readonly ok: true; readonly case: StdioCase } | Refused;

const maximumBytes = 64 * 1024;

export function parsePairs(text: string): (StdioCase | InvalidTest)[] {
  const blocks = findFences(text).filter((block) => block.code.trim() !== "");
  const json = blocks.filter((block) => block.tag.startsWith("json"));
  const chosen = json.length > 0 ? json : blocks;
  return chosen.length > 0 ? chosen.flatMap((block) => readSource(block.code)) : readSource(text);
}

/** One pair that was already read from JSON. Input gets the line end that a terminal would send. */
export function readPair(value: unknown): PairResult {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { ok: false, reason: "is not an object with `input` and `output`" };
  }
  const { input, output } = value as Record<string, unknown>;
  const [inputText, outputText] = [textOfField(input), textOfField(output)];
  if (inputText === undefined) return { ok: false, reason: "`input` is not a text" };
  if (outputText === undefined) return { ok: false, reason: "`output` is not a text" };
  if (inputText.trim() === "") return { ok: false, reason: "`input` is empty" };
  for (const [name, field] of Object.entries({ input: inputText, output: outputText })) {
    if (Buffer.byteLength(field) > maximumBytes)
      return { ok: false, reason: `\`${name}\` has more than 64 KiB` };
  }
  return {
    ok: true,
    case: {
      style: "stdio",
      input: inputText.endsWith("\n") ? inputText : `${inputText}\n`,
      expected: outputText,
    },
  };
}

function textOfField(field: unknown): string | undefined {
  if (typeof field === "number" && Number.isFinite(field)) return String(field);
  return typeof field === "string" ? field.replace(/\r\n?/g, "\n") : undefined;
}

function readSource(source: string): (StdioCase | InvalidTest)[] {
  const whole = parseJson(source);
  if (whole !== undefined) return readAll(whole, source);
  const lines = source.split("\n").filter((line) => /^\s*[[{]/.test(line));
  const parsed = lines.map((line) => ({ line, value: parseJson(line.trim().replace(/,$/, "")) }));
  if (parsed.some(({ value }) => value !== undefined)) {
    return parsed.flatMap(({ line, value }) =>
      value === undefined
        ? [{ text: excerpt(line, 500), reason: "is not valid JSON" }]
        : readAll(value, line),
    );
  }
  const embedded = parseJson(
    source.slice(source.search(/[[{]/), Math.max(source.lastIndexOf("}"), source.lastIndexOf("]")) + 1),
  );
  if (embedded !== undefined) return readAll(embedded, source);
  return /[[{]/.test(source) ? [{ text: excerpt(source, 500), reason: "is not valid JSON" }] : [];
}

function readAll(value: unknown, source: string): (StdioCase | InvalidTest)[] {
  return pairsIn(value).map((pair) => {
    const result = readPair(pair);
    return result.ok
      ? result.case
      : { text: excerpt(JSON.stringify(pair) ?? source, 500), reason: result.reason };
  });
}

function pairsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const { inputs, outputs } = (value ?? {}) as Record<string, unknown>;
  if (!Array.isArray(inputs) || !Array.isArray(outputs)) return [value];
  return inputs.slice(0, outputs.length).map((input, index) => ({ input, output: outputs[index] }));
}

/** Undefined for what is no JSON: JSON itself has no undefined. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
