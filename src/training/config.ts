/**
 * What a training run can be told. One section per concern; every field has a default that suits the built-in demo
 * or is the paper's value, and a description that the documentation table is made from.
 */
import { z } from "zod";
import { atgenSchema } from "./config-atgen.ts";
import { methodSchema } from "./config-method.ts";

const positiveInteger = z.number().int().positive();
const share = z.number().min(0).max(1);

const problemsSchema = z.strictObject({
  source: z.enum(["arena", "file"]).default("arena").describe("the built-in problems, or a file"),
  path: z
    .string()
    .optional()
    .describe("problem set (json, jsonl or parquet), for atgen a set of pairs; needed for `file`"),
  heldOutPath: z.string().optional().describe("problem set for evaluation; none unless said"),
  limit: positiveInteger.optional().describe("take only the first so many problems"),
  witnesses: z
    .number()
    .int()
    .min(0)
    .max(4)
    .default(1)
    .describe(
      "solutions besides the reference that have to agree on an input before it is tested with, for problems that have several",
    ),
  difficulties: z
    .array(z.enum(["easy", "medium", "hard"]))
    .optional()
    .describe("arena: only problems of these difficulties"),
});

const modelSchema = z
  .union([z.strictObject({ name: z.string() }), z.strictObject({ folder: z.string() })])
  .describe("a model the engine knows by name, or a folder with weights");

const engineSchema = z.strictObject({
  kind: z.enum(["embedded", "tinker"]).default("embedded").describe("where the models live"),
  threads: positiveInteger
    .optional()
    .describe("embedded: worker threads; the number of processors unless said"),
  endpoint: z.string().optional().describe("tinker: address of the server"),
  code: modelSchema.default({ name: "arena" }).describe("the model that writes programs"),
  test: modelSchema.default({ name: "arena" }).describe("the model that writes tests"),
  shared: modelSchema.default({ name: "arena" }).describe("self-play: the one model that does both"),
  lowRank: z
    .strictObject({ rank: positiveInteger, alpha: z.number().positive() })
    .optional()
    .describe("train LoRA adapters of this rank instead of all parameters"),
});

const learningSchema = z.strictObject({
  learningRate: z.number().positive().max(1).default(1e-6).describe("peak learning rate"),
  warmUpSteps: z.number().int().min(0).default(10).describe("training steps of linear warm-up"),
  schedule: z.enum(["constant", "cosine"]).default("cosine").describe("after the warm-up"),
  weightDecay: share.default(0.1).describe("AdamW's decoupled weight decay"),
  gradientClip: z.number().positive().default(1).describe("largest gradient norm"),
  clipLow: share.default(0.2).describe("the probability ratio is held above 1 − this"),
  clipHigh: z.number().min(0).default(0.28).describe("the probability ratio is held below 1 + this"),
  dualClip: z.number().gt(1).default(10).describe("bounds the loss of bad tokens whose ratio ran away"),
  referenceCoefficient: z
    .number()
    .min(0)
    .default(0.001)
    .describe("weight of the divergence from the initial model"),
  miniBatchProblems: positiveInteger.default(128).describe("questions per optimizer step"),
  zeroVarianceGroups: z
    .enum(["keep", "skip"])
    .default("keep")
    .describe("groups of equal rewards: keep them in the token mean as the paper does, or skip them"),
});

const samplingSchema = z.strictObject({
  temperature: z.number().positive().default(1).describe("of rollouts; 1 is the model's own distribution"),
  codeTokens: positiveInteger.default(4096).describe("longest program, in tokens"),
  testTokens: positiveInteger.default(4096).describe("longest suite, in tokens"),
});

const evaluationSchema = z.strictObject({
  every: z
    .number()
    .int()
    .min(0)
    .default(10)
    .describe("steps between evaluations; 0 for only before and after"),
  problems: positiveInteger.default(200).describe("held-out problems used"),
  samples: positiveInteger.default(1).describe("programs and suites per problem"),
  temperature: z.number().min(0).default(0.7).describe("of evaluation samples"),
  topP: share.default(0.95).describe("of evaluation samples"),
});

const sandboxSchema = z.strictObject({
  kind: z.enum(["auto", "native", "wasm"]).default("auto").describe("where programs run"),
  demand: z
    .enum(["limits", "filtered", "full"])
    .default("full")
    .describe("refuse to start with less isolation"),
  workers: positiveInteger
    .optional()
    .describe("programs at the same time; the number of processors unless said"),
  caseCpuSeconds: z.number().positive().default(1).describe("CPU seconds of one test on one program"),
  programCpuSeconds: z.number().positive().default(10).describe("CPU seconds of all tests on one program"),
  memoryMegabytes: z.number().int().min(32).default(512).describe("memory of one program"),
});

export const trainingConfigSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[\w.-]+$/, "letters, digits, dot, dash and underscore")
    .default("run")
    .describe("name of the run folder"),
  seed: z.number().int().min(0).default(1).describe("decides everything random"),
  steps: positiveInteger.default(100).describe("training steps"),
  problemsPerStep: positiveInteger.default(12).describe("questions per step"),
  checkpointEvery: positiveInteger.default(25).describe("steps between checkpoints"),
  keepCheckpoints: positiveInteger.default(3).describe("older checkpoints are removed"),
  rolloutsEvery: z.number().int().min(0).default(1).describe("steps between recorded rollouts; 0 for none"),
  problems: problemsSchema.prefault({}),
  engine: engineSchema.prefault({}),
  method: methodSchema.prefault({}),
  atgen: atgenSchema.prefault({}),
  learning: learningSchema.prefault({}),
  sampling: samplingSchema.prefault({}),
  evaluation: evaluationSchema.prefault({}),
  sandbox: sandboxSchema.prefault({}),
});

export type TrainingConfig = z.infer<typeof trainingConfigSchema>;

/** What may differ when a run is continued: none of it changes what was already learnt. */
export const safeToChange: ReadonlySet<string> = new Set([
  "steps",
  "checkpointEvery",
  "keepCheckpoints",
  "rolloutsEvery",
  "evaluation.every",
  "engine.threads",
  "engine.endpoint",
  "sandbox.workers",
  "sandbox.kind",
  "sandbox.demand",
  "atgen.adversary.baseUrl",
  "atgen.adversary.apiKeyVariable",
  "atgen.adversary.timeoutSeconds",
  "atgen.adversary.retries",
  "atgen.adversary.concurrency",
]);
