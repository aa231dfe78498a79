/** A sandbox that runs nothing: a function says what would be observed. For tests of what is built on the port. */
import {
  caseCount,
  type Observation,
  type ProgramJob,
  type RunOptions,
  type Sandbox,
  type SandboxReport,
} from "./sandbox.ts";

type Script = (
  job: ProgramJob,
  options: RunOptions,
) => readonly Observation[] | Promise<readonly Observation[]>;

export interface ScriptedSandbox extends Sandbox {
  /** Every job that was run, with its options, in order. */
  readonly asked: { readonly job: ProgramJob; readonly options: RunOptions }[];
}

export function scriptedSandbox(script: Script, report: Partial<SandboxReport> = {}): ScriptedSandbox {
  const asked: { job: ProgramJob; options: RunOptions }[] = [];
  return {
    asked,
    describe: () => ({
      kind: "native",
      isolation: "full",
      integrity: "values",
      python: "3.11.0",
      workers: 1,
      layers: [],
    }),
    async run(job, options = {}) {
      asked.push({ job, options });
      const observations = await script(job, options);
      if (observations.length !== caseCount(job.work)) throw new Error("the script forgot a case");
      return {
        loaded: true,
        observations,
        denied: 0,
        cpuSeconds: 1,
        wallSeconds: 1,
        underLoad: options.alone !== true,
        isolation: "full",
        ...report,
      };
    },
    close: async () => {},
  };
}

/** The arguments of each call, for scripts that answer by what they are asked. */
export function firstArguments(job: ProgramJob): bigint[] {
  if (job.work.style !== "function") throw new Error("not a function program");
  return job.work.calls.map(({ args }) => {
    const [first] = args;
    if (first?.type !== "int") throw new Error("not an integer");
    return first.value;
  });
}

export const integer = (value: bigint) => ({ type: "int", value }) as const;

export const callWith = (value: bigint) => ({ args: [integer(value)], keywords: {} });
