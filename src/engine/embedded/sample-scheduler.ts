/**
 * Spreads sampling over the threads. A call of `sample` becomes units (a prompt and up to eight of its completions);
 * units go to the thread with the fewest completions running. Calls may overlap: their completions simply run
 * together. Which thread takes what changes nothing but the time.
 */
import type { SparringError } from "../../errors.ts";
import { CompletionStream } from "../completion-stream.ts";
import { decoderRows, samplesPerUnit } from "./decoder.ts";
import type { RandomStream } from "./random.ts";
import type { FinishedSample, SampleUnit } from "./sample-unit.ts";
import type { PoolListener, ThreadPool } from "./thread-pool.ts";

export interface SampleOrder {
  readonly prompt: Int32Array;
  readonly maxTokens: number;
  readonly streams: readonly RandomStream[];
}

export interface OrderedSample {
  readonly orderIndex: number;
  readonly sample: FinishedSample;
}

/** What all units of a call have in common. */
export type UnitSettings = Pick<
  SampleUnit,
  "parameters" | "temperature" | "topP" | "stopTokenIds" | "stopSequences"
>;

interface Call {
  readonly stream: CompletionStream<OrderedSample>;
  readonly units: Set<number>;
  readonly ended: () => void;
}

interface UnitState {
  readonly unit: SampleUnit;
  readonly call: Call;
  readonly orderIndex: number;
  left: number;
  thread: number | undefined;
}

/** Units of all policies of a process: threads answer by number alone. */
let nextUnit = 0;

export class SampleScheduler implements PoolListener {
  readonly #pool: ThreadPool;
  readonly #decoder: number;
  readonly #units = new Map<number, UnitState>();
  readonly #rows: number[];
  #waiting: UnitState[] = [];

  constructor(pool: ThreadPool, decoder: number) {
    this.#pool = pool;
    this.#decoder = decoder;
    this.#rows = new Array<number>(pool.size).fill(0);
    pool.listen(this);
  }

  /** `ended` is called once no thread works for the call any more, however it ends. */
  start(
    orders: readonly SampleOrder[],
    settings: UnitSettings,
    ended: () => void,
  ): { stream: CompletionStream<OrderedSample>; cancel: (reason: unknown) => Promise<void> } {
    const call: Call = {
      stream: new CompletionStream(() => this.#drop(call)),
      units: new Set(),
      ended: () => {
        this.#pool.unhold();
        ended();
      },
    };
    this.#pool.hold();
    const total = orders.reduce((sum, order) => sum + order.streams.length, 0);
    const size = Math.min(samplesPerUnit, Math.ceil(total / this.#pool.size));
    orders.forEach(({ prompt, maxTokens, streams }, orderIndex) => {
      const samples = streams.map((stream, index) => ({ index, stream }));
      for (let first = 0; first < samples.length; first += size) {
        const unit = {
          ...settings,
          unit: nextUnit++,
          prompt,
          maxTokens,
          samples: samples.slice(first, first + size),
        };
        const state: UnitState = { unit, call, orderIndex, left: unit.samples.length, thread: undefined };
        call.units.add(unit.unit);
        this.#units.set(unit.unit, state);
        this.#waiting.push(state);
      }
    });
    this.#dispatch();
    const cancel = async (reason: unknown) => {
      call.stream.fail(reason);
      await this.#drop(call);
    };
    return { stream: call.stream, cancel };
  }

  /** Ends every call; afterwards no thread uses the policy's memory. */
  async close(reason: SparringError): Promise<void> {
    const calls = new Set([...this.#units.values()].map((state) => state.call));
    for (const call of calls) {
      call.stream.fail(reason);
      await this.#drop(call);
    }
    this.#pool.unlisten(this);
  }

  sampled(sample: FinishedSample): void {
    const state = this.#units.get(sample.unit);
    if (state === undefined) return;
    state.call.stream.push({ orderIndex: state.orderIndex, sample });
    this.#rows[state.thread!]!--;
    if (--state.left === 0) this.#forget(state);
    this.#dispatch();
  }

  ended(reason: SparringError): void {
    for (const state of [...this.#units.values()]) {
      state.call.stream.fail(reason);
      this.#forget(state);
    }
    this.#waiting = [];
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const rows = Math.min(...this.#rows);
      const state = this.#waiting[0]!;
      if (rows > 0 && rows + state.left > decoderRows) return;
      this.#waiting.shift();
      state.thread = this.#rows.indexOf(rows);
      this.#rows[state.thread]! += state.left;
      this.#pool.post(state.thread, { kind: "sample", decoder: this.#decoder, unit: state.unit });
    }
  }

  async #drop(call: Call): Promise<void> {
    const states = [...call.units].map((unit) => this.#units.get(unit)!);
    this.#waiting = this.#waiting.filter((state) => state.call !== call);
    await Promise.all(
      states.map(async (state) => {
        const { thread } = state;
        if (thread !== undefined) {
          const { unit } = state.unit;
          const decoder = this.#decoder;
          // A pool that has ended has nothing left to cancel.
          await this.#pool.request(thread, (job) => ({ kind: "cancel", decoder, unit, job })).catch(() => {});
          this.#rows[thread]! -= state.left;
        }
        this.#forget(state);
      }),
    );
    this.#dispatch();
  }

  #forget(state: UnitState): void {
    if (!this.#units.delete(state.unit.unit)) return;
    const { call } = state;
    call.units.delete(state.unit.unit);
    if (call.units.size > 0) return;
    call.stream.finish();
    call.ended();
  }
}
