/** One worker under attack: runs attacks through the judge, and makes sure that honest programs still get their due. */
import { judgeProgram, type Verdict } from "../../judge/judge.ts";
import { exactComparison } from "../../values/compare.ts";
import { defaultLimits, type Limits } from "../limits.ts";
import type { Sandbox } from "../sandbox.ts";
import { type Attack, casesFor, honestProgram } from "./attack.test.support.ts";

const problems = {
  function: { style: "function", entryPoint: "f", comparison: exactComparison },
  stdio: { style: "stdio", entryPoint: undefined, comparison: { ...exactComparison, floatTolerance: 1e-9 } },
} as const;

export class Lane {
  readonly sandbox: Sandbox;
  readonly #limits: Limits;

  constructor(sandbox: Sandbox, limits: Partial<Limits>) {
    this.sandbox = sandbox;
    this.#limits = { ...defaultLimits, memoryBytes: 128 * 1024 * 1024, ...limits };
  }

  judge(source: string, style: Attack["style"], extra: { cases?: number; limits?: Partial<Limits> } = {}) {
    return judgeProgram({
      sandbox: this.sandbox,
      source,
      problem: problems[style],
      cases: casesFor(style, extra.cases ?? 3),
      limits: { ...this.#limits, ...extra.limits },
    });
  }

  /** The verdict on an attack that comes right after a program which knew all the answers. */
  async attackedBy(
    attack: Attack,
  ): Promise<{ verdict: Verdict; honestBefore: string[]; honestAfter: string[] }> {
    const honestBefore = await this.#honest(attack.style);
    const verdict = await this.judge(attack.source, attack.style, attack);
    return { verdict, honestBefore, honestAfter: await this.#honest(attack.style) };
  }

  async #honest(style: Attack["style"]): Promise<string[]> {
    const { outcomes } = await this.judge(honestProgram[style], style);
    return outcomes.map((outcome) => outcome.kind);
  }
}
