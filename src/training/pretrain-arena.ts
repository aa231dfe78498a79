/**
 * The warm start of the demo: one tiny model learns the language of the arena from nothing, by supervised learning on
 * generated examples of training problems (supervised-data.ts says how noisy they are, and why). Both roles start
 * from these weights, as both roles of Code-A1 start from the same base model; self-play needs no other.
 *
 * Two phases, each with its own warm-up and cosine:
 *
 *   meaning   long black-box suites with right answers, and programs. Many answers for each question read: this is
 *             where the model learns what the words of a question mean.
 *   habit     what the roles really write: programs, of which a share are wrong; suites of four plain cases, of which
 *             a share have wrong answers; most of them with a candidate in view.
 *
 * Loss: cross-entropy, for each kind of example the weighted mean over its completion tokens, times its share of the
 * batch. In suites, the characters of inputs weigh a tenth of the others: they are random, and learning to predict
 * them would drown the answers.
 *
 * Deterministic: a function of seed, model and phases (bit for bit where the engine is).
 */
import type { Engine, TrainablePolicy } from "../engine/engine.ts";
import { crossEntropy } from "../engine/objective.ts";
import type { TrainingRecord } from "../engine/token-batch.ts";
import { codeExamples, type Example, suiteExamples } from "../problems/arena/supervised-data.ts";

export interface PretrainOptions {
  readonly engine: Engine;
  /** Gets `weights.safetensors`. */
  readonly folder: string;
  readonly seed: number;
  /** A model the engine knows by name. Default: about half a million parameters. */
  readonly model?: string;
  readonly phases?: readonly PretrainPhase[];
  readonly onProgress?: (progress: PretrainProgress) => void;
  readonly signal?: AbortSignal;
}

export interface PretrainPhase {
  readonly name: string;
  readonly steps: number;
  /** At its peak. */
  readonly learningRate: number;
  /** How many examples of each kind a step sees. */
  readonly examples: Readonly<Partial<Record<ExampleKind, number>>>;
}

export interface PretrainProgress {
  readonly phase: string;
  /** From 1, over all phases. */
  readonly step: number;
  readonly steps: number;
  readonly loss: number;
  /** Trained so far, prompts included. */
  readonly tokens: number;
}

export interface PretrainReport {
  readonly files: readonly string[];
  readonly parameters: number | undefined;
  readonly steps: number;
  readonly tokens: number;
}

/** Programs; long suites of right answers; suites for a candidate in view; suites for the question alone. */
export const exampleKinds = ["program", "long-suite", "suite", "black-box-suite"] as const;
export type ExampleKind = (typeof exampleKinds)[number];

export const pretrainPhases: readonly PretrainPhase[] = [
  { name: "meaning", steps: 4000, learningRate: 2e-3, examples: { "long-suite": 20, program: 12 } },
  {
    name: "habit",
    steps: 1500,
    learningRate: 1e-3,
    examples: { program: 16, suite: 12, "black-box-suite": 4 },
  },
];

const mostWarmUpSteps = 100;
const leastShareOfRate = 0.05;
const inputWeight = 0.1;
const optimizer = { betas: [0.9, 0.98], epsilon: 1e-8, weightDecay: 0.01, gradientClip: 1 } as const;

export async function pretrainArena(options: PretrainOptions): Promise<PretrainReport> {
  const { engine, folder, seed, model = "small", phases = pretrainPhases } = options;
  const policy = await engine.openPolicy({ role: "arena", model: { kind: "named", name: model }, seed });
  try {
    const streams = exampleStreams(seed);
    const steps = phases.reduce((sum, phase) => sum + phase.steps, 0);
    let step = 0;
    let tokens = 0;
    for (const phase of phases) {
      for (let stepOfPhase = 0; stepOfPhase < phase.steps; stepOfPhase += 1) {
        options.signal?.throwIfAborted();
        const batch = batchOf(policy, phase, streams);
        const { loss } = await policy.accumulate(batch, crossEntropy);
        await policy.step({ ...optimizer, learningRate: rateAt(phase, stepOfPhase) });
        step += 1;
        tokens += batch.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
        options.onProgress?.({ phase: phase.name, step, steps, loss, tokens });
      }
    }
    const files = await policy.exportWeights(folder);
    return { files, parameters: policy.describe().parameters, steps, tokens };
  } finally {
    await policy.dispose();
  }
}

type Streams = Readonly<Record<ExampleKind, Iterator<Example, never>>>;

function exampleStreams(seed: number): Streams {
  // Far apart, so that no two kinds draw the same problems in the same order.
  const seedOf = (kind: ExampleKind) => seed * exampleKinds.length + exampleKinds.indexOf(kind);
  return {
    program: codeExamples({ seed: seedOf("program") }),
    "long-suite": suiteExamples({
      seed: seedOf("long-suite"),
      view: "black-box",
      cases: 10,
      habit: "broad",
      wrongAnswerShare: 0,
    }),
    suite: suiteExamples({ seed: seedOf("suite") }),
    "black-box-suite": suiteExamples({ seed: seedOf("black-box-suite"), view: "black-box" }),
  };
}

function batchOf(policy: TrainablePolicy, phase: PretrainPhase, streams: Streams): TrainingRecord[] {
  const counts = Object.entries(phase.examples) as [ExampleKind, number][];
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return counts.flatMap(([kind, count]) => {
    const examples = Array.from({ length: count }, () => streams[kind].next().value);
    const weights = examples.map(({ completion }) => tokenWeights(kind, completion));
    const sum = weights.flat().reduce((left, right) => left + right, 0);
    return examples.map((example, index) =>
      record(
        policy,
        example,
        weights[index]!.map((weight) => ((weight / sum) * count) / total),
      ),
    );
  });
}

function record(policy: TrainablePolicy, example: Example, coefficients: readonly number[]): TrainingRecord {
  const prompt = policy.tokenizer.encode(example.prompt);
  return {
    tokenIds: [...prompt, ...policy.tokenizer.encode(example.completion)],
    promptLength: prompt.length,
    coefficients,
  };
}

/** One for each character. From `=` to the end of the line stands an answer; before it an input. */
function tokenWeights(kind: ExampleKind, completion: string): number[] {
  if (kind === "program") return Array.from(completion, () => 1);
  let inAnswer = false;
  return Array.from(completion, (character) => {
    if (character === "=") inAnswer = true;
    const weight = inAnswer ? 1 : inputWeight;
    if (character === "\n") inAnswer = false;
    return weight;
  });
}

function rateAt(phase: PretrainPhase, step: number): number {
  const warmUp = Math.min(1, (step + 1) / Math.min(mostWarmUpSteps, phase.steps / 10));
  const cosine = 0.5 * (1 + Math.cos((Math.PI * step) / phase.steps));
  return phase.learningRate * warmUp * (leastShareOfRate + (1 - leastShareOfRate) * cosine);
}
