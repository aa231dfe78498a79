import { describe, expect, it } from "vitest";
import { Endpoint } from "./endpoint.ts";
import { chooseHost, type HostEntry, newHostEntry, noteFault, noteSuccess } from "./host-book.ts";
import { HostFault, type HostFaultKind } from "./host-fault.ts";

const none = new Set<HostEntry>();
const fault = (kind: HostFaultKind, retryAfterSeconds?: number) =>
  new HostFault(kind, "no", retryAfterSeconds);
const hosts = (...changes: Partial<HostEntry>[]) =>
  changes.map((change, index) => ({
    ...newHostEntry(new Endpoint({ url: `http://host${index}` })),
    ...change,
  }));

describe("chooseHost", () => {
  it("takes the one with the most room for its size", () => {
    const [small, large] = hosts({ inFlight: 1, capacity: 2 }, { inFlight: 3, capacity: 16 });
    expect(chooseHost([small!, large!], { now: 0, tried: none })).toBe(large);
  });

  it("leaves a resting host alone as long as another is awake", () => {
    const [resting, busy] = hosts({ restsUntil: 10 }, { inFlight: 9, capacity: 1 });
    expect(chooseHost([resting!, busy!], { now: 5, tried: none })).toBe(busy);
    expect(chooseHost([resting!, busy!], { now: 11, tried: none })).toBe(resting);
  });

  it("when all rest, takes the one that wakes first", () => {
    const [late, soon] = hosts({ restsUntil: 20 }, { restsUntil: 10 });
    expect(chooseHost([late!, soon!], { now: 5, tried: none })).toBe(soon);
  });

  it("goes back to one that has failed this job only when there is no other", () => {
    const [first, second] = hosts({}, { inFlight: 5, restsUntil: 10 });
    expect(chooseHost([first!, second!], { now: 0, tried: new Set([first!]) })).toBe(second);
    expect(chooseHost([first!], { now: 0, tried: new Set([first!]) })).toBe(first);
  });
});

describe("noteFault", () => {
  it("rests longer after each failure, up to half a minute, and forgets with a success", () => {
    const [host] = hosts({});
    const rests: number[] = [];
    let now = 0;
    for (let failure = 0; failure < 8; failure += 1) {
      noteFault(host!, { now, fault: fault("unreachable") });
      rests.push(host!.restsUntil - now);
      now = host!.restsUntil;
    }
    expect(rests).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30]);
    noteSuccess(host!);
    noteFault(host!, { now, fault: fault("malformed") });
    expect(host!.restsUntil - now).toBe(0.5);
  });

  it("counts the failures of many jobs at once as one", () => {
    const [host] = hosts({});
    for (let job = 0; job < 50; job += 1) noteFault(host!, { now: 1, fault: fault("unreachable") });
    expect([host!.failures, host!.restsUntil]).toEqual([1, 1.5]);
  });

  it("waits as long as a busy host asks, within reason, and holds it against nobody", () => {
    const [host] = hosts({});
    for (const [asked, waited] of [
      [7, 7],
      [undefined, 1],
      [9999, 30],
    ] as const) {
      noteFault(host!, { now: 0, fault: fault("busy", asked) });
      expect(host!.restsUntil).toBe(waited);
    }
    expect(host!.failures).toBe(0);
  });

  it("does not send a host to rest for refusing one job", () => {
    const [host] = hosts({});
    noteFault(host!, { now: 0, fault: fault("refused") });
    expect([host!.restsUntil, host!.failures, host!.lastFault]).toEqual([0, 0, "no"]);
  });
});
