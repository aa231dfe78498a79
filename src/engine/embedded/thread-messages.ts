/**
 * What the main thread and the worker threads say to each other. Weights, gradients and caches never travel: they
 * lie in shared memory and messages carry addresses. A message with a `job` is answered once.
 */
import type { Objective } from "../objective.ts";
import type { DecoderPlace } from "./decoder.ts";
import type { TargetSums } from "./microbatch-pass.ts";
import type { ModelShape } from "./model-shape.ts";
import type { Microbatch } from "./row-batch.ts";
import type { FinishedSample, SampleUnit } from "./sample-unit.ts";

export interface ThreadData {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
}

/** What every pass over a model needs to find its memory. */
export interface PassPlace {
  readonly shape: ModelShape;
  readonly parameters: number;
  readonly rotationTables: number;
  /** This thread's workspace. */
  readonly workspace: number;
}

export type Work =
  | { readonly kind: "score"; readonly place: PassPlace; readonly microbatches: readonly Microbatch[] }
  | {
      readonly kind: "train";
      readonly place: PassPlace;
      readonly microbatches: readonly Microbatch[];
      readonly objective: Objective;
      readonly transposed: number;
      readonly gradient: number;
      /** `zero`: the gradient buffer holds something old. */
      readonly start: "zero" | "add";
    }
  | {
      readonly kind: "reduce";
      /** Address of the list of gradient buffers. */
      readonly buffers: number;
      readonly count: number;
      readonly ranges: readonly ByteRange[];
    }
  | { readonly kind: "adam"; readonly update: AdamUpdate; readonly ranges: readonly DecayRange[] }
  | {
      readonly kind: "transpose";
      readonly shape: ModelShape;
      readonly parameters: number;
      readonly transposed: number;
      /** Indices of tensors. */
      readonly tensors: readonly number[];
    };

export interface ByteRange {
  readonly offset: number;
  readonly bytes: number;
}

export interface DecayRange extends ByteRange {
  /** What is left of a parameter after weight decay. */
  readonly keep: number;
}

export interface AdamUpdate {
  readonly parameters: number;
  readonly gradient: number;
  readonly mean: number;
  readonly square: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly stepSize: number;
  readonly secondScale: number;
  readonly gradientScale: number;
}

export interface WorkResult {
  /** Of all targets, micro-batch by micro-batch. */
  readonly logprobs?: readonly Float32Array[];
  readonly sums?: TargetSums;
  /** Sum of squares of each range. */
  readonly squares?: readonly number[];
}

export type ToThread =
  | { readonly kind: "work"; readonly job: number; readonly work: Work }
  | {
      readonly kind: "open-decoder";
      readonly decoder: number;
      readonly place: Omit<PassPlace, "parameters">;
      readonly cache: DecoderPlace;
    }
  | { readonly kind: "close-decoder"; readonly decoder: number; readonly job: number }
  | { readonly kind: "sample"; readonly decoder: number; readonly unit: SampleUnit }
  | { readonly kind: "cancel"; readonly decoder: number; readonly unit: number; readonly job: number };

export type FromThread =
  | { readonly kind: "done"; readonly job: number; readonly result: WorkResult }
  | { readonly kind: "failed"; readonly job: number; readonly message: string }
  | { readonly kind: "sampled"; readonly sample: FinishedSample };
