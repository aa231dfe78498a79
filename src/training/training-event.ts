/** What a run tells whoever watches it. */
import type { EngineDescription } from "../engine/engine.ts";
import type { SandboxDescription } from "../sandbox/sandbox.ts";
import type { Measurement } from "./measure.ts";
import type { BankCoverage } from "./run-adversaries.ts";
import type { CheckProgress } from "./start-checks.ts";
import type { Metrics } from "./step-metrics.ts";
import type { LeftOut } from "./usable-problems.ts";

export type TrainingEvent =
  /** The problems are looked through before anything else: at the beginning, then every few seconds. */
  | ({ readonly kind: "checking" } & CheckProgress)
  | { readonly kind: "left-out"; readonly leftOut: readonly LeftOut[] }
  | {
      readonly kind: "opened";
      readonly engine: EngineDescription;
      readonly sandbox: SandboxDescription;
      readonly problems: number;
      readonly heldOut: number;
      readonly firstStep: number;
    }
  | { readonly kind: "measuring"; readonly step: number }
  | { readonly kind: "measured"; readonly measurement: Measurement }
  | { readonly kind: "stepped"; readonly step: number; readonly metrics: Metrics }
  /**
   * The adversary's server gave no programs: how many searches of the step that cost, and why the first of them failed.
   * Without a step, it did not answer when the run opened.
   */
  | {
      readonly kind: "adversary-failed";
      readonly step: number | undefined;
      readonly failures: number;
      readonly reason: string;
    }
  /** The bank has programs for some of the problems only: the others are never replaced. */
  | ({ readonly kind: "partial-bank" } & BankCoverage)
  | { readonly kind: "saved"; readonly step: number };
