/**
 * Tests in the shape of APPS: `{"inputs": […], "outputs": […]}`, as an object or as a text of JSON. For a program that
 * reads input, each is a text or a list of lines. For a function, each input is the list of its arguments, and JSON
 * leaves two things to be undone, as APPS' own harness does: an answer may stand in a list of its own, and a dict
 * whose keys are whole numbers has them as texts.
 */
import type { PythonValue } from "../values/python-value.ts";
import { jsonOf, parseJson, pythonValueOf } from "./json-value.ts";
import type { FunctionCase, Problem, StdioCase, TestCase } from "./problem.ts";
import { problemError } from "./problem-schema.ts";

export interface TestsPlace {
  readonly style: Problem["style"];
  readonly where: string;
  /** The field that holds the tests. */
  readonly field: string;
}

export interface InputOutput {
  readonly inputs: readonly unknown[];
  readonly outputs: readonly unknown[];
  readonly fn_name?: unknown;
}

/** The object itself, with inputs and outputs of one length. */
export function inputOutputOf(value: unknown, { where, field }: Omit<TestsPlace, "style">): InputOutput {
  const parsed = typeof value === "string" ? parseJson(value) : { ok: true as const, value };
  const hint = `'${field}' is {"inputs": […], "outputs": […]}, as an object or as a text of JSON.`;
  if (!parsed.ok) throw problemError(where, { reason: `the field '${field}' is not valid JSON`, hint });
  const { inputs, outputs } = (parsed.value ?? {}) as Partial<InputOutput>;
  if (!Array.isArray(inputs) || !Array.isArray(outputs)) {
    throw problemError(where, {
      reason: `the field '${field}' needs the lists 'inputs' and 'outputs'`,
      hint,
    });
  }
  if (inputs.length !== outputs.length) {
    throw problemError(where, {
      reason: `the field '${field}' has ${inputs.length} inputs and ${outputs.length} outputs`,
      hint: "Give every input its output.",
    });
  }
  return parsed.value as InputOutput;
}

export function testsOf({ inputs, outputs }: InputOutput, place: TestsPlace): TestCase[] {
  if (place.style === "function") return functionTests({ inputs, outputs }, place);
  return inputs.map((input, index): StdioCase => {
    const at = (list: string) => ({ ...place, field: `${place.field}.${list}[${index}]` });
    return {
      style: "stdio",
      input: textOf(input, at("inputs")),
      expected: textOf(outputs[index], at("outputs")),
    };
  });
}

function textOf(value: unknown, { where, field }: TestsPlace): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((line) => typeof line === "string")) return value.join("\n");
  throw problemError(where, {
    reason: `'${field}' is not a text`,
    hint: "Inputs and outputs of a program that reads input are texts, or lists of lines.",
  });
}

function functionTests({ inputs, outputs }: InputOutput, place: TestsPlace): FunctionCase[] {
  const isWrapped =
    outputs.length > 0 && outputs.every((output) => Array.isArray(output) && output.length === 1);
  return inputs.map((input, index) => {
    const at = (list: string) => ({ ...place, field: `${place.field}.${list}[${index}]` });
    if (!Array.isArray(input)) {
      throw problemError(place.where, {
        reason: `'${at("inputs").field}' is not a list of arguments`,
        hint: "Each input of a function is a list: [1, 2] calls it with 1 and 2.",
      });
    }
    const [first, ...others] = input.map((argument) => readValue(argument, at("inputs")));
    const args = first ? [withNumberKeys(first), ...others] : [];
    const output = isWrapped ? (outputs[index] as unknown[])[0] : outputs[index];
    const expected = withNumberKeys(readValue(output, at("outputs")));
    return { style: "function", call: { args, keywords: {} }, expected };
  });
}

function readValue(json: unknown, { where, field }: TestsPlace): PythonValue {
  const value = pythonValueOf(json);
  if (value) return value;
  throw problemError(where, {
    reason: `'${field}' holds a number that is too long for JSON in a file of this kind, or lists too deep in each other`,
    hint: "Write the whole field as a text of JSON, which keeps every digit, or use 'goldTests'.",
  });
}

function withNumberKeys(value: PythonValue): PythonValue {
  if (value.type !== "dict" || value.entries.length === 0) return value;
  const isNumber = ([key]: readonly [PythonValue, PythonValue]) =>
    key.type === "str" && /^-?(?:0|[1-9]\d*)$/.test(key.value);
  if (!value.entries.every(isNumber)) return value;
  return {
    type: "dict",
    entries: value.entries.map(([key, item]) => [
      { type: "int", value: BigInt((key as { value: string }).value) },
      item,
    ]),
  };
}

/** The tests in this shape, if `testsOf` reads exactly the same tests from it. */
export function inputOutputRecord(tests: readonly TestCase[]): InputOutput | undefined {
  const inputs: unknown[] = [];
  const outputs: unknown[] = [];
  for (const test of tests) {
    const record = test.style === "stdio" ? { input: test.input, output: test.expected } : callRecord(test);
    if (!record) return undefined;
    inputs.push(record.input);
    outputs.push(record.output);
  }
  const looksWrapped = outputs.every((output) => Array.isArray(output) && output.length === 1);
  return looksWrapped && tests.length > 0 ? undefined : { inputs, outputs };
}

function callRecord({ call, expected }: FunctionCase): { input: unknown; output: unknown } | undefined {
  if (Object.keys(call.keywords).length > 0) return undefined;
  const input = call.args.map(jsonOf);
  const output = jsonOf(expected);
  return output === undefined || input.includes(undefined) ? undefined : { input, output };
}
