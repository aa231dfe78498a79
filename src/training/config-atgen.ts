/** What ATGEN can be told; what its publication leaves open is a field here, with the default of our choice. */
import { z } from "zod";

const positiveInteger = z.number().int().positive();
const share = z.number().min(0).max(1);

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
    .optional()
    .describe("environment variable that holds the server's key; OPENAI_API_KEY unless said"),
  timeoutSeconds: z
    .number()
    .positive()
    .max(2_000_000)
    .default(120)
    .describe("longest wait for one answer of the server; a step waits for the adversary"),
  retries: z.number().int().min(0).default(2).describe("further tries of a call to the server that failed"),
  concurrency: positiveInteger.default(16).describe("calls to the server at the same time"),
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

export const atgenSchema = z.strictObject({
  mode: z
    .enum(["none", "unconditional", "adaptive"])
    .default("adaptive")
    .describe(
      "whose program is replaced by a harder one: nobody's, everybody's, or of those pairs that the generator can already attack",
    ),
  tests: z.number().int().min(2).default(6).describe("tests generated per pair (the group)"),
  startStep: z
    .number()
    .int()
    .min(0)
    .default(50)
    .describe("the first step, counted from 1, whose tests may replace a program"),
  maxTries: positiveInteger.default(30).describe("programs tried for one replacement"),
  trigger: z
    .enum(["any", "majority", "all"])
    .default("any")
    .describe("adaptive: how many of a pair's tests must attack"),
  referenceTests: z
    .enum(["all-correct", "all-inputs", "one-attack"])
    .default("all-correct")
    .describe(
      "what a new program must pass, always with the reference's answers: every distinct test of the group that was right (all of them where none was), all of them, or one (an attack where there is one)",
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
