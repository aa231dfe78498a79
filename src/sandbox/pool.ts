/**
 * Who may use one of a fixed number of slots (a warm worker, an interpreter) next. Strictly first come, first served:
 * a request for the whole pool (`alone`) waits until everything that runs has ended and holds back everything that
 * came after it, so neither kind can starve the other. Nothing is prepared for a job before it has its slot, which
 * keeps a queue of many thousand jobs cheap.
 *
 * @example
 * const pool = new SlotPool([workerA, workerB]);
 * const lease = await pool.acquire({ signal });
 * try { await lease.slot.run(job); } finally { lease.release(); }
 */
import { setMaxListeners } from "node:events";
import { SparringError } from "../errors.ts";
import type { RunOptions } from "./sandbox.ts";

export interface Lease<Slot> {
  readonly slot: Slot;
  /** Whether another lease was held at any time since this one began. */
  readonly underLoad: boolean;
  /** Gives the slot back; a second call does nothing. */
  release(): void;
}

interface Request<Slot> {
  readonly alone: boolean;
  grant(lease: Lease<Slot>): void;
  refuse(reason: unknown): void;
}

interface HeldLease {
  underLoad: boolean;
}

export class SlotPool<Slot> {
  /** The last one given back is the first one given out again: its memory is the warmest. */
  readonly #free: Slot[];
  readonly #queue = new Set<Request<Slot>>();
  readonly #held = new Set<HeldLease>();
  readonly #whenIdle: Array<() => void> = [];
  #heldAlone = false;
  #closed = false;

  constructor(slots: Iterable<Slot>) {
    this.#free = [...slots].reverse();
  }

  /** How many leases are held. */
  get running(): number {
    return this.#held.size;
  }

  /** How many requests wait for a slot. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Rejects with the signal's reason when aborted while waiting, and with `sandbox-closed` after `close`. */
  acquire(options: RunOptions = {}): Promise<Lease<Slot>> {
    const { signal, alone = false } = options;
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closedError());
      if (signal?.aborted) return reject(signal.reason);
      const giveUp = () => {
        this.#queue.delete(request);
        reject(signal?.reason);
        this.#grantNext();
      };
      const request: Request<Slot> = {
        alone,
        grant(lease) {
          signal?.removeEventListener("abort", giveUp);
          resolve(lease);
        },
        refuse(reason) {
          signal?.removeEventListener("abort", giveUp);
          reject(reason);
        },
      };
      // One signal stops as many jobs as there are; Node would take that for a leak.
      if (signal) setMaxListeners(0, signal);
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#queue.add(request);
      this.#grantNext();
    });
  }

  /** Refuses whoever waits or comes later, and resolves once every lease has been given back. */
  close(): Promise<void> {
    this.#closed = true;
    for (const request of this.#queue) request.refuse(closedError());
    this.#queue.clear();
    return new Promise((resolve) => {
      if (this.#held.size === 0) resolve();
      else this.#whenIdle.push(resolve);
    });
  }

  #grantNext(): void {
    for (const request of this.#queue) {
      const mustWait = this.#heldAlone || (request.alone && this.#held.size > 0) || this.#free.length === 0;
      if (mustWait) return;
      this.#queue.delete(request);
      this.#grant(request);
    }
  }

  #grant(request: Request<Slot>): void {
    const slot = this.#free.pop() as Slot;
    const held: HeldLease = { underLoad: this.#held.size > 0 };
    for (const other of this.#held) other.underLoad = true;
    this.#held.add(held);
    this.#heldAlone = request.alone;
    request.grant({
      slot,
      get underLoad() {
        return held.underLoad;
      },
      release: () => this.#takeBack(slot, held),
    });
  }

  #takeBack(slot: Slot, held: HeldLease): void {
    if (!this.#held.delete(held)) return;
    this.#heldAlone = false;
    this.#free.push(slot);
    if (this.#held.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    this.#grantNext();
  }
}

function closedError(): SparringError {
  return new SparringError({ code: "sandbox-closed", message: "the sandbox has been closed" });
}
