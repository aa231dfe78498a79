/**
 * How much of a training step's work overlaps. Steps of the demo run as they are, while every request to a model and
 * every program for the sandbox is noted; then each stage does the same work again with the machine to itself:
 *
 *   code sampling   the step's programs, from the weights as they were before the step
 *   test sampling   the step's suites, all asked for at once
 *   judging         the step's programs in the sandbox, references included, all at once
 *   learning        taken from the step itself, where nothing else runs at that time
 *
 * step ÷ slowest is 1 where everything hides behind the slowest stage, step ÷ sum is 1 where nothing overlaps. On a
 * CPU all stages want the same processors: no step can be quicker than its processor time divided by their number,
 * which is printed as the bound. Medians over steps; the first step warms up and does not count.
 *
 *   npm run bench overlap -- --steps 5
 */
import { setMaxListeners } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { SampleRequest, SamplingSettings } from "../src/engine/completion.ts";
import type { FrozenPolicy, TrainablePolicy } from "../src/engine/engine.ts";
import { MemoryAnswerCache } from "../src/judge/answer-cache.ts";
import { ReferenceAnswers } from "../src/judge/reference-answers.ts";
import { MistakeBook } from "../src/mistakes/mistake-book.ts";
import { packageRoot } from "../src/package-root.ts";
import { createSandbox } from "../src/sandbox/create-sandbox.ts";
import type { ProgramJob, Sandbox } from "../src/sandbox/sandbox.ts";
import { loadConfig } from "../src/training/load-config.ts";
import { openTeam } from "../src/training/open-players.ts";
import { loadProblemSet } from "../src/training/problem-set.ts";
import { runLimits } from "../src/training/run-limits.ts";
import { trainStep } from "../src/training/train-step.ts";

const { values: options } = parseArgs({ options: { steps: { type: "string", default: "5" } } });
const counted = Number(options.steps);
if (!Number.isInteger(counted) || counted < 1) {
  console.error("usage: overlap [--steps N]");
  process.exit(2);
}

interface SampleCall {
  readonly requests: readonly SampleRequest[];
  readonly settings: SamplingSettings;
}

/** The same policy; what it is asked for is noted. */
function noting(policy: FrozenPolicy, calls: SampleCall[]): FrozenPolicy {
  return {
    describe: () => policy.describe(),
    tokenizer: policy.tokenizer,
    renderPrompt: (messages) => policy.renderPrompt(messages),
    sample: (requests, settings, given) => {
      calls.push({ requests, settings });
      return policy.sample(requests, settings, given);
    },
    score: (sequences) => policy.score(sequences),
    dispose: () => policy.dispose(),
  };
}

async function sampleAll(policy: FrozenPolicy, calls: readonly SampleCall[]): Promise<number> {
  const counts = await Promise.all(
    calls.map(async ({ requests, settings }) => {
      let tokens = 0;
      for await (const { completion } of policy.sample(requests, settings))
        tokens += completion.tokenIds.length;
      return tokens;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const [startedAt, cpuBefore] = [performance.now(), cpuSeconds()];
  await work();
  return { wall: (performance.now() - startedAt) / 1000, cpu: cpuSeconds() - cpuBefore };
}

/** Of this process with all its threads, and of the sandbox's processes with those that they have seen end. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childTicks(process.pid) / 100;
}

function childTicks(parent: number): number {
  if (process.platform !== "linux") return 0;
  let ticks = 0;
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      // After the command's name in parentheses: the parent is the 2nd field, its times are the 12th to the 15th.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(fields[1]) !== parent) continue;
      ticks += fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) + childTicks(Number(name));
    } catch {
      // It has just ended; whoever waited for it counts its time.
    }
  }
  return ticks;
}

const folder = mkdtempSync(path.join(tmpdir(), "sparring-overlap-"));
const config = await loadConfig(path.join(packageRoot, "recipes", "demo.yaml"));
const problemSet = await loadProblemSet(config);
const sandbox = await createSandbox();
const team = await openTeam(config, path.join(folder, "start"));
const book = new MistakeBook({ mostPerProblem: config.method.mostMistakesPerProblem });
const limits = runLimits(config);

const stages = ["code sampling", "test sampling", "judging", "learning"] as const;
type Costs = Record<(typeof stages)[number] | "step", Cost>;

async function oneStep(step: number): Promise<Costs> {
  const before = path.join(folder, `before-${step}`);
  for (const [role, policy] of team.trained)
    await (policy as TrainablePolicy).exportWeights(path.join(before, role));
  const [codeCalls, testCalls]: [SampleCall[], SampleCall[]] = [[], []];
  const jobs: ProgramJob[] = [];
  const notingSandbox: Sandbox = {
    describe: () => sandbox.describe(),
    run: (job, given) => {
      jobs.push(job);
      return sandbox.run(job, given);
    },
    close: () => sandbox.close(),
  };
  const answers = new ReferenceAnswers({ sandbox: notingSandbox, cache: new MemoryAnswerCache(), limits });
  const { code, test } = team.players;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  /** Of this process, at every look at the clock: the last two are the beginning and the end of learning. */
  const processorTimes: number[] = [];
  const clock = () => {
    const { user, system } = process.cpuUsage();
    processorTimes.push((user + system) / 1e6);
    return performance.now() / 1000;
  };
  let learning: Cost = { wall: 0, cpu: 0 };
  const stepCost = await costOf(async () => {
    const { metrics } = await trainStep(
      {
        config,
        players: { ...team.players, code: noting(code, codeCalls), test: noting(test, testCalls) },
        problems: problemSet.training,
        dialect: problemSet.dialect,
        court: { sandbox: notingSandbox, limits, answers },
        book,
        league: undefined,
        suites: undefined,
        clock,
        signal: stop.signal,
      },
      step,
    );
    const [begun, ended] = processorTimes.slice(-2) as [number, number];
    learning = { wall: metrics["time/learning"]!, cpu: ended - begun };
  });
  const alone = async (role: "code" | "test", calls: readonly SampleCall[]): Promise<Cost> => {
    const model = { kind: "folder" as const, path: path.join(before, role) };
    const policy = await team.engine.openFrozen({ role, model, seed: 0 });
    try {
      return await costOf(() => sampleAll(policy, calls));
    } finally {
      await policy.dispose();
    }
  };
  return {
    step: stepCost,
    "code sampling": await alone("code", codeCalls),
    "test sampling": await alone("test", testCalls),
    judging: await costOf(() => Promise.all(jobs.map((job) => sandbox.run(job)))),
    learning,
  };
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

try {
  await oneStep(0);
  const costs: Costs[] = [];
  for (let step = 1; step <= counted; step += 1) {
    costs.push(await oneStep(step));
    const { step: whole } = costs.at(-1)!;
    console.error(`step ${step} of ${counted}: ${whole.wall.toFixed(2)} s`);
  }
  const wall = (name: keyof Costs) => median(costs.map((cost) => cost[name].wall));
  const cpu = (name: keyof Costs) => median(costs.map((cost) => cost[name].cpu));
  const cores = availableParallelism();
  console.log(
    `${config.problemsPerStep} problems × ${config.method.candidates} programs × ${config.method.suites} suites, ${sandbox.describe().kind} sandbox, ${cores} processors, load ${loadavg()[0]!.toFixed(1)}, median of ${counted} steps`,
  );
  for (const stage of [...stages, "step"] as const) {
    const name = stage === "step" ? "the step as it is" : `${stage} alone`;
    console.log(
      `  ${name.padEnd(20)} ${wall(stage).toFixed(2).padStart(6)} s, ${cpu(stage).toFixed(2)} s of processor time`,
    );
  }
  const slowest = Math.max(...stages.map(wall));
  const sum = stages.reduce((total, stage) => total + wall(stage), 0);
  const bound = cpu("step") / cores;
  const ratio = (value: number) => wall("step") / value;
  console.log(`step ÷ slowest stage   ${ratio(slowest).toFixed(2)} (slowest ${slowest.toFixed(2)} s)`);
  console.log(`step ÷ sum of stages   ${ratio(sum).toFixed(2)} (sum ${sum.toFixed(2)} s)`);
  console.log(`step ÷ processor bound ${ratio(bound).toFixed(2)} (bound ${bound.toFixed(2)} s)`);
} finally {
  await team.engine.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
}
