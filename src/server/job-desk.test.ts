import { describe, expect, it } from "vitest";
import { JobDesk } from "./job-desk.ts";

function newDesk(limit: number) {
  const clock = { now: 0 };
  const stays: number[] = [];
  const desk = new JobDesk({
    limit,
    workers: 2,
    now: () => clock.now,
    left: (seconds) => stays.push(seconds),
  });
  return { desk, clock, stays };
}

/** A job that ends when told to. */
function openJob() {
  let end = () => {};
  const job = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { job, end };
}

describe("JobDesk", () => {
  it("counts jobs in and out", async () => {
    const { desk, clock, stays } = newDesk(4);
    const ticket = desk.admit(3);
    expect(desk.queue).toEqual({ running: 2, waiting: 1, limit: 4 });
    const { job, end } = openJob();
    const running = ticket.run(() => job);
    clock.now = 5;
    end();
    await running;
    expect(desk.queue).toEqual({ running: 2, waiting: 0, limit: 4 });
    expect(stays).toEqual([5]);
  });

  it("frees the room of a job that fails", async () => {
    const { desk } = newDesk(1);
    await expect(desk.admit(1).run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(desk.queue.running).toBe(0);
  });

  it("refuses what does not fit, and says when to come again", () => {
    const { desk } = newDesk(4);
    desk.admit(3);
    expect(() => desk.admit(2)).toThrow(
      expect.objectContaining({ status: 429, code: "queue-full", headers: { "retry-after": "1" } }),
    );
    expect(() => desk.admit(5)).toThrow(expect.objectContaining({ status: 413, code: "too-many-jobs" }));
    desk.admit(1);
  });

  it("gives back the room of abandoned jobs once, also when they are run after all", async () => {
    const { desk } = newDesk(4);
    const ticket = desk.admit(3);
    const { job, end } = openJob();
    const first = ticket.run(() => job);
    ticket.abandon();
    ticket.abandon();
    expect(desk.queue.running).toBe(1);
    await ticket.run(() => Promise.resolve());
    expect(desk.queue.running).toBe(1);
    end();
    await first;
    expect(desk.queue.running).toBe(0);
  });

  it("takes nothing more when closed, and waits for what is here", async () => {
    const { desk } = newDesk(4);
    const { job, end } = openJob();
    const running = desk.admit(1).run(() => job);
    let closed = false;
    const closing = desk.close().then(() => {
      closed = true;
    });
    expect(() => desk.admit(1)).toThrow(expect.objectContaining({ status: 503, code: "shutting-down" }));
    expect(closed).toBe(false);
    end();
    await running;
    await closing;
  });
});
