/** What Code-A1 and its baselines can be told. */
import { z } from "zod";
import { suiteRewards } from "../rewards/suite-reward.ts";

const positiveInteger = z.number().int().positive();
const share = z.number().min(0).max(1);

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

export const methodSchema = z.strictObject({
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
    .enum(["share", "kill", "field"])
    .default("share")
    .describe(
      "what an attack is worth: the share of a suite's tests that fail (paper); 1 if any right test fails; the share of the question's opponents that the suite's right tests kill",
    ),
  testSource: z
    .enum(["gold", "generated"])
    .default("gold")
    .describe("golden: whose tests give the reward, the data set's or a test model's (engine.test)"),
  suiteReward: z
    .enum(suiteRewards)
    .default("pass-rate")
    .describe(
      "golden with generated tests: the share of tests passed; 1 if all pass, else 0; 0.9 of that share and 0.1 for being Python at all",
    ),
  generated: z
    .strictObject({
      programs: positiveInteger
        .default(4)
        .describe("programs of the untrained code model that tests are written for"),
      testsPerProgram: positiveInteger.default(4).describe("tests written for each of them"),
      most: positiveInteger.default(12).describe("tests kept, those with most votes first"),
    })
    .prefault({})
    .describe("how a generated suite is made"),
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
