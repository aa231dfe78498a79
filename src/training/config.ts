/**
 * What a training run can be told. One section per concern; every field has a default that suits the built-in demo
 * or is the paper's value, and a description that the documentation table is made from.
 */
import { z } from "zod";

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

const programCount = z.number().int().min(0).default(0);
const opponentsSchema = z
  .strictObject({
    mutants: programCount.describe("small changes to the reference"),
    start: programCount.describe("programs of the code model as it was before training"),
    past: programCount.describe("wrong programs that the code model wrote for this question earlier"),
    adversaries: programCount.describe(
      "changed references that pass every right test of the step's suites and still are wrong",
    ),
  })
  .describe(
    "programs per question that the tester is shown besides the candidates; only the tester learns from them",
  );

const methodSchema = z.strictObject({
  kind: z
    .enum(["code-a1", "golden", "self-play", "sft", "atgen"])
    .default("code-a1")
    .describe(
      "adversarial training of both; pass rate on the data set's tests; one model in both roles; supervised learning of reference programs and gold tests; a test generator against ever harder wrong programs (section atgen)",
    ),
  train: z
    .enum(["both", "code", "test"])
    .default("both")
    .describe("which role learns; the other stays frozen"),
  alpha: share.default(0.5).describe("weight of validity in the test reward"),
  alphaEnd: share
    .optional()
    .describe("where alpha has moved to at the last step, in equal parts; it stays unless said"),
  attackSignal: z
    .enum(["share", "kill"])
    .default("share")
    .describe(
      "what an attack is worth: the share of a suite's tests that fail (paper), or 1 if any right test fails",
    ),
  opponents: opponentsSchema.prefault({}),
  candidates: z.number().int().min(2).default(8).describe("programs per question (M)"),
  suites: z.number().int().min(2).default(8).describe("test suites per program (N)"),
  testsPerSuite: positiveInteger.default(8).describe("tests asked for in a suite (K)"),
  trainedCandidates: positiveInteger
    .default(1)
    .describe("per question, how many candidates' suites train the tester: those whose rewards vary most"),
  mistakeBook: z.boolean().default(true).describe("replay tests that broke earlier candidates"),
  replayedTests: positiveInteger.default(8).describe("tests of the Mistake Book replayed per question"),
  mostMistakesPerProblem: positiveInteger.default(256).describe("the least frequent, oldest tests make room"),
  wrongAnswerTests: z
    .enum(["correct", "drop"])
    .default("correct")
    .describe(
      "a test with a wrong answer is corrected by the reference (official code) or dropped (paper's figure)",
    ),
  zeroFailureAdversarial: z
    .enum(["baseline", "zero"])
    .default("baseline")
    .describe(
      "adversarial reward of a suite that breaks nothing: from history (official code) or 0 (paper's figure)",
    ),
  emptySuites: z
    .enum(["leave-out", "zero"])
    .default("leave-out")
    .describe("a suite without a usable test in the code reward: left out, or 0 as in the official code"),
});

const adversarySchema = z.strictObject({
  kind: z
    .enum(["sampling", "instruction", "mutation", "bank"])
    .default("sampling")
    .describe(
      "who writes harder wrong programs: a code model that sees only the question; one that is told to be wrong; changes to the reference; the data's other wrong programs",
    ),
  model: z
    .string()
    .optional()
    .describe(
      "sampling, instruction: `openai:MODEL`, or a folder with weights; left out, it is the run's own code model as it starts (engine.code)",
    ),
  baseUrl: z.string().optional().describe("address of the OpenAI-compatible server"),
  apiKeyVariable: z
    .string()
    .default("OPENAI_API_KEY")
    .describe("environment variable that holds the server's key"),
  temperature: z.number().min(0).default(0.7).describe("of the adversary's programs"),
  topP: share.default(1).describe("of the adversary's programs"),
  maxTokens: positiveInteger
    .optional()
    .describe("longest program, in tokens; sampling.codeTokens unless said"),
  bankPath: z
    .string()
    .optional()
    .describe("bank: a set of pairs whose wrong programs are used; the training pairs unless said"),
  chunk: positiveInteger.default(5).describe("programs asked for in one call"),
});

const atgenSchema = z.strictObject({
  mode: z
    .enum(["none", "unconditional", "adaptive"])
    .default("adaptive")
    .describe(
      "whose program is replaced by a harder one: nobody's, everybody's, or of those pairs that the generator can already attack",
    ),
  tests: z.number().int().min(2).default(6).describe("tests generated per pair (the group)"),
  startStep: z.number().int().min(0).default(50).describe("steps before the first replacement"),
  maxTries: positiveInteger.default(30).describe("programs tried for one replacement"),
  trigger: z
    .enum(["any", "majority", "all"])
    .default("any")
    .describe("adaptive: how many of a pair's tests must attack"),
  referenceTests: z
    .enum(["all-correct", "one-attack"])
    .default("all-correct")
    .describe(
      "what a new program must pass: every distinct test of the group with a right answer, or one (an attack where there is one)",
    ),
  replacement: z
    .enum(["pool", "same-step"])
    .default("pool")
    .describe("the new program is met when the pair is drawn next, or tests are generated for it at once"),
  replayProbability: share
    .default(0)
    .describe("how often a replaced program is met again instead of the newest"),
  rewards: z
    .strictObject({
      formatWrong: z.number().default(-0.5).describe("of a reply that is no test"),
      answerWrong: z.number().default(0).describe("of a test with a wrong answer"),
      harmless: z.number().default(0.5).describe("of a right test that the program passes"),
      attack: z.number().default(1).describe("of a right test that the program fails"),
    })
    .prefault({}),
  pairsPerProblem: positiveInteger.default(2).describe("arena: wrong programs for each problem"),
  adversary: adversarySchema.prefault({}),
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
]);
