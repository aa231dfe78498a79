/** Runs many small programs in one real Python, for tests that hold the evaluator and the references to it. */
import { spawnSync } from "node:child_process";
import type { ArenaInput } from "./program.ts";

export interface PythonWork {
  readonly source: string;
  readonly inputs: readonly (ArenaInput | string)[];
}

const runFunctions = `
import json, sys
answers = []
for work in json.load(sys.stdin):
    space = {}
    exec(work["source"], space)
    row = []
    for value in work["inputs"]:
        try:
            row.append({"kind": "value", "value": space["f"](value)})
        except Exception as error:
            row.append({"kind": "raised", "type": type(error).__name__})
    answers.append(row)
json.dump(answers, sys.stdout)
`;

const runScripts = `
import contextlib, io, json, sys
jobs = json.load(sys.stdin)
answers = []
for work in jobs:
    code = compile(work["source"], "program", "exec")
    row = []
    for text in work["inputs"]:
        sys.stdin = io.StringIO(text)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, {"__name__": "__main__"})
        row.append(printed.getvalue())
    answers.append(row)
json.dump(answers, sys.stdout)
`;

export const havePython = spawnSync("python3", ["--version"]).status === 0;
if (!havePython) console.warn("python3 is missing: the arena's programs are not checked against real Python");

/** Calls `f` of each program with each input. */
export function callFunctions(works: readonly PythonWork[]): unknown[][] {
  return inPython(runFunctions, works);
}

/** Runs each script with each text on standard input; gives what it printed. */
export function runScriptsOn(works: readonly PythonWork[]): string[][] {
  return inPython(runScripts, works) as string[][];
}

function inPython(script: string, works: readonly PythonWork[]): unknown[][] {
  const { status, stdout, stderr } = spawnSync("python3", ["-I", "-c", script], {
    input: JSON.stringify(works),
    encoding: "utf8",
    maxBuffer: 512 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`python3 failed: ${stderr}`);
  return JSON.parse(stdout);
}
