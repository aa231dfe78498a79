/**
 * Which host to ask next. Pure bookkeeping: time is passed in. A host that failed rests, longer each time, and is
 * only asked earlier if all the others rest too; among the rest the least busy one is taken.
 */
import type { Endpoint } from "./endpoint.ts";
import type { HostFault } from "./host-fault.ts";
import type { HostLink } from "./host-link.ts";

export interface HostEntry {
  readonly endpoint: Endpoint;
  /** Set once the host has said what it is. */
  link: HostLink | undefined;
  /** How many programs may be there at once. */
  capacity: number;
  inFlight: number;
  /** Failures since the last success. */
  failures: number;
  /** Not to be asked before this time, in seconds. */
  restsUntil: number;
  lastFault: string;
}

const firstRestSeconds = 0.5;
const longestRestSeconds = 30;

export function newHostEntry(endpoint: Endpoint): HostEntry {
  return { endpoint, link: undefined, capacity: 1, inFlight: 0, failures: 0, restsUntil: 0, lastFault: "" };
}

/** `tried`: hosts that have already failed this job; they come last. */
export function chooseHost(
  hosts: readonly HostEntry[],
  options: { now: number; tried: ReadonlySet<HostEntry> },
): HostEntry {
  const rank = (host: HostEntry): readonly number[] => [
    options.tried.has(host) ? 1 : 0,
    Math.max(0, host.restsUntil - options.now),
    host.inFlight / host.capacity,
    host.failures,
  ];
  return hosts.reduce((best, host) => (isBefore(rank(host), rank(best)) ? host : best));
}

function isBefore(left: readonly number[], right: readonly number[]): boolean {
  for (const [index, value] of left.entries()) {
    if (value !== right[index]) return value < right[index]!;
  }
  return false;
}

export function noteSuccess(host: HostEntry): void {
  host.failures = 0;
  host.restsUntil = 0;
}

export function noteFault(host: HostEntry, { now, fault }: { now: number; fault: HostFault }): void {
  host.lastFault = fault.message;
  switch (fault.kind) {
    case "refused":
      return; // what it will not do for one job it may do for the next
    case "busy":
      host.restsUntil = now + Math.min(fault.retryAfterSeconds ?? 1, longestRestSeconds);
      return;
    default:
      // Many jobs fail together when a host goes down: that is one failure.
      if (now < host.restsUntil) return;
      host.restsUntil = now + Math.min(longestRestSeconds, firstRestSeconds * 2 ** host.failures);
      host.failures += 1;
  }
}
