/** What several hosts are together: as strong as the weakest of them. */
import { type IsolationLevel, isolationLevels, type SandboxDescription } from "../sandbox.ts";
import type { HostEntry } from "./host-book.ts";
import { HostFault } from "./host-fault.ts";

/** Undefined while no host has answered. */
export function describeHosts(hosts: readonly HostEntry[]): SandboxDescription | undefined {
  const linked = hosts.flatMap(({ link, capacity, endpoint }) =>
    link ? [{ link, capacity, endpoint }] : [],
  );
  if (linked.length === 0) return undefined;
  const levels = linked.map(({ link }) => isolationLevels.indexOf(link.isolation));
  const pythons = new Set(linked.map(({ link }) => link.python));
  return {
    kind: "remote",
    isolation: isolationLevels[Math.min(...levels)]!,
    integrity: "values",
    python: [...pythons].sort().join(", "),
    workers: linked.reduce((sum, { capacity }) => sum + capacity, 0),
    layers: hosts.map(({ endpoint, link, lastFault }) => ({
      name: endpoint.name,
      active: link !== undefined,
      detail: link ? `${link.protocol}, isolation "${link.isolation}", Python ${link.python}` : lastFault,
    })),
  };
}

export function strongEnough(isolation: IsolationLevel, demand: IsolationLevel): boolean {
  return isolationLevels.indexOf(isolation) >= isolationLevels.indexOf(demand);
}

export function tooWeak(isolation: IsolationLevel, demand: IsolationLevel): HostFault {
  return new HostFault("refused", `its isolation is "${isolation}", below the demanded "${demand}"`);
}
