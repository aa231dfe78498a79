/**
 * Takes jobs in and counts them out: how many are here, whether there is room for more, and when the last one has
 * left. The sandbox's own pool decides who runs next; the desk only keeps the queue bounded.
 */

import type { QueueState } from "./metrics.ts";
import { RequestRefused } from "./request-refused.ts";

/** Room for the jobs of one request. */
export interface Ticket {
  /** Runs one of them; its room is free again when the promise settles. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Gives back the room of those that will not be run any more. */
  abandon(): void;
}

export class JobDesk {
  readonly #limit: number;
  readonly #workers: number;
  readonly #now: () => number;
  readonly #left: (seconds: number) => void;
  readonly #whenEmpty: Array<() => void> = [];
  #present = 0;
  #closed = false;

  constructor(options: {
    limit: number;
    workers: number;
    /** Seconds. */
    now: () => number;
    /** Hears how long each job was here. */
    left: (seconds: number) => void;
  }) {
    this.#limit = options.limit;
    this.#workers = options.workers;
    this.#now = options.now;
    this.#left = options.left;
  }

  get queue(): QueueState {
    const running = Math.min(this.#present, this.#workers);
    return { running, waiting: this.#present - running, limit: this.#limit };
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Room for so many jobs, or a refusal. */
  admit(jobs: number): Ticket {
    if (this.#closed) throw shuttingDown();
    if (jobs > this.#limit) {
      throw new RequestRefused({
        status: 413,
        code: "too-many-jobs",
        message: `${jobs} jobs in one request; this server takes ${this.#limit} at a time`,
        hint: "Send them in smaller batches.",
      });
    }
    if (this.#present + jobs > this.#limit) {
      throw new RequestRefused({
        status: 429,
        code: "queue-full",
        message: `${this.#present} jobs are here already; this server takes ${this.#limit} at a time`,
        hint: "Try again after the time in Retry-After, or start the server with a larger --queue.",
        headers: { "retry-after": String(this.#secondsUntilRoom(jobs)) },
      });
    }
    this.#present += jobs;
    const accepted = this.#now();
    let notBegun = jobs;
    return {
      run: async (work) => {
        // After `abandon` there is no room of its own left to give back.
        const counted = Math.min(notBegun, 1);
        notBegun -= counted;
        try {
          return await work();
        } finally {
          this.#leave(counted);
          this.#left(this.#now() - accepted);
        }
      },
      abandon: () => {
        this.#leave(notBegun);
        notBegun = 0;
      },
    };
  }

  /** Takes nothing more, and resolves when the last job has left. */
  close(): Promise<void> {
    this.#closed = true;
    return new Promise((resolve) => {
      if (this.#present === 0) resolve();
      else this.#whenEmpty.push(resolve);
    });
  }

  #leave(jobs: number): void {
    this.#present -= jobs;
    if (this.#present === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  /** A guess at a tenth of a second for each job, between 1 and 30 seconds: enough to spread the callers out. */
  #secondsUntilRoom(jobs: number): number {
    const tooMany = this.#present + jobs - this.#limit;
    return Math.min(30, Math.max(1, Math.ceil(tooMany / (10 * this.#workers))));
  }
}

export function shuttingDown(): RequestRefused {
  return new RequestRefused({
    status: 503,
    code: "shutting-down",
    message: "the server is shutting down",
    headers: { "retry-after": "5", connection: "close" },
  });
}
