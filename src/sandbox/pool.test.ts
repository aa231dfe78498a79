import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Lease, SlotPool } from "./pool.ts";

/** Lets every promise that can settle do so. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Requests in order, each recorded by name when it is granted. */
function recorder<Slot>(pool: SlotPool<Slot>) {
  const granted: string[] = [];
  const leases = new Map<string, Lease<Slot>>();
  const request = (name: string, options: Parameters<typeof pool.acquire>[0] = {}) =>
    pool.acquire(options).then((lease) => {
      granted.push(name);
      leases.set(name, lease);
    });
  const release = async (name: string) => {
    leases.get(name)!.release();
    await settle();
  };
  return { granted, leases, request, release };
}

describe("SlotPool", () => {
  it("grants as many leases as there are slots and the rest in the order they came", async () => {
    const pool = new SlotPool(["a", "b"]);
    const { granted, leases, request, release } = recorder(pool);
    for (const name of ["1", "2", "3", "4"]) void request(name);
    await settle();
    expect(granted).toEqual(["1", "2"]);
    expect([pool.running, pool.waiting]).toEqual([2, 2]);
    expect(new Set([...leases.values()].map((lease) => lease.slot))).toEqual(new Set(["a", "b"]));
    await release("2");
    await release("1");
    expect(granted).toEqual(["1", "2", "3", "4"]);
  });

  it("gives a slot back only once", async () => {
    const pool = new SlotPool(["a"]);
    const first = await pool.acquire();
    first.release();
    first.release();
    await pool.acquire();
    expect(pool.running).toBe(1);
    const { granted, request } = recorder(pool);
    void request("late");
    await settle();
    expect(granted).toEqual([]);
  });

  it("lets a lone request wait for the running ones and holds back the later ones", async () => {
    const pool = new SlotPool(["a", "b", "c"]);
    const { granted, leases, request, release } = recorder(pool);
    void request("before");
    void request("lone", { alone: true });
    void request("after");
    await settle();
    expect(granted).toEqual(["before"]);
    await release("before");
    expect(granted).toEqual(["before", "lone"]);
    expect(leases.get("lone")!.underLoad).toBe(false);
    await release("lone");
    expect(granted).toEqual(["before", "lone", "after"]);
  });

  it("says whether another lease was held at the same time, also when it came later", async () => {
    const pool = new SlotPool(["a", "b"]);
    const first = await pool.acquire();
    expect(first.underLoad).toBe(false);
    const second = await pool.acquire();
    second.release();
    expect([first.underLoad, second.underLoad]).toEqual([true, true]);
    first.release();
    expect((await pool.acquire()).underLoad).toBe(false);
  });

  it("drops an aborted request, and one that held back others lets them go", async () => {
    const pool = new SlotPool(["a", "b"]);
    const { granted, request } = recorder(pool);
    const stop = new AbortController();
    void request("running");
    const lone = request("lone", { alone: true, signal: stop.signal });
    void request("behind");
    await settle();
    stop.abort(new Error("not needed any more"));
    await expect(lone).rejects.toThrow("not needed any more");
    await settle();
    expect(granted).toEqual(["running", "behind"]);
    await expect(pool.acquire({ signal: stop.signal })).rejects.toThrow("not needed any more");
  });

  it("ignores an abort that comes after the lease was granted", async () => {
    const pool = new SlotPool(["a"]);
    const stop = new AbortController();
    const lease = await pool.acquire({ signal: stop.signal });
    stop.abort();
    expect(pool.running).toBe(1);
    lease.release();
    expect(pool.running).toBe(0);
  });

  it("refuses waiting and later requests when closed, and waits for the held leases", async () => {
    const pool = new SlotPool(["a"]);
    const lease = await pool.acquire();
    const waiting = pool.acquire();
    let closed = false;
    const closing = pool.close().then(() => {
      closed = true;
    });
    await expect(waiting).rejects.toMatchObject({ code: "sandbox-closed" });
    await expect(pool.acquire()).rejects.toMatchObject({ code: "sandbox-closed" });
    expect(closed).toBe(false);
    lease.release();
    await closing;
    await pool.close();
  });

  it("never overlaps a lone lease, never exceeds the slots and grants in order, whatever happens", async () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ do: fc.constant("ask" as const), alone: fc.boolean() }),
        fc.record({ do: fc.constant("release" as const), which: fc.nat() }),
        fc.record({ do: fc.constant("abort" as const), which: fc.nat() }),
      ),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (size, plan) => {
        const pool = new SlotPool(Array.from({ length: size }, (_, index) => index));
        const waiting = new Map<number, AbortController>();
        const held: Array<{ lease: Lease<number>; alone: boolean }> = [];
        let asked = 0;
        let last = -1;
        for (const step of plan) {
          if (step.do === "ask") {
            const id = asked++;
            const stop = new AbortController();
            waiting.set(id, stop);
            pool.acquire({ alone: step.alone, signal: stop.signal }).then(
              (lease) => {
                expect(id).toBeGreaterThan(last);
                last = id;
                waiting.delete(id);
                held.push({ lease, alone: step.alone });
              },
              () => waiting.delete(id),
            );
          } else if (step.do === "release" && held.length > 0) {
            held.splice(step.which % held.length, 1)[0]!.lease.release();
          } else if (step.do === "abort" && waiting.size > 0) {
            [...waiting.values()][step.which % waiting.size]!.abort();
          }
          await settle();
          expect(held.length).toBe(pool.running);
          expect(held.length).toBeLessThanOrEqual(size);
          expect(new Set(held.map(({ lease }) => lease.slot)).size).toBe(held.length);
          if (held.some(({ alone }) => alone)) expect(held.length).toBe(1);
          if (held.length === 0) expect(pool.waiting).toBe(0);
        }
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});
