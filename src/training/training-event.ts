/** What a run tells whoever watches it. */
import type { EngineDescription } from "../engine/engine.ts";
import type { SandboxDescription } from "../sandbox/sandbox.ts";
import type { Measurement } from "./measure.ts";
import type { Metrics } from "./step-metrics.ts";
import type { LeftOut } from "./usable-problems.ts";

export type TrainingEvent =
  /** The problems are looked through before anything else. */
  | { readonly kind: "checking"; readonly done: number; readonly total: number }
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
  | { readonly kind: "saved"; readonly step: number };
