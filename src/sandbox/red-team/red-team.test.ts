/**
 * Every attack against every sandbox. No attack may pass a single case, none may look like our own failure, and after
 * each the same worker must judge an honest program rightly. In the end nothing may be left: no process, no file.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "../../judge/outcome.ts";
import { type NativeKind, nativeKinds, startNative } from "../native/native-for-tests.test.support.ts";
import { SlotPool } from "../pool.ts";
import type { IsolationLevel, Sandbox } from "../sandbox.ts";
import { createWasmSandbox } from "../wasm/wasm-sandbox.ts";
import type { Attack } from "./attack.test.support.ts";
import { type Bait, escapeAttacks } from "./escapes.test.support.ts";
import { exhaustionAttacks } from "./exhaustion.test.support.ts";
import { forgingAttacks } from "./forging.test.support.ts";
import { Lane } from "./referee-lane.test.support.ts";
import { stdioAttacks } from "./stdio.test.support.ts";

const lanesPerSandbox = 2;
const content = "nobody may change this\n";

const folder = mkdtempSync(path.join(tmpdir(), "sparring-bait-"));
const servers: Server[] = [];
let visitors = 0;
const bait: Bait = {
  file: path.join(folder, "file"),
  socket: path.join(folder, "socket"),
  port: await listen(0),
};
writeFileSync(bait.file, content, { mode: 0o666 });
await listen(bait.socket);
const attacksOnTheVerdict = [...forgingAttacks, ...stdioAttacks];
const attacksOnTheWalls = [...attacksOnTheVerdict, ...escapeAttacks(bait)];
const allAttacks = [...attacksOnTheWalls, ...exhaustionAttacks];

/** With resource limits alone a program does reach the machine; only the verdict is safe there. */
const attacksAt: Record<IsolationLevel, readonly Attack[]> = {
  full: allAttacks,
  filtered: attacksOnTheWalls,
  limits: attacksOnTheVerdict,
};

afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

async function listen(where: number | string): Promise<number> {
  const server = createServer((visitor) => {
    visitors += 1;
    visitor.destroy();
  });
  servers.push(server);
  await new Promise<void>((resolve) => {
    if (typeof where === "number") server.listen(where, "127.0.0.1", resolve);
    else server.listen(where, resolve);
  });
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

interface Ground {
  readonly level: IsolationLevel;
  readonly start: () => Promise<{ sandboxes: Sandbox[]; release: () => void } | string>;
  readonly attacks: readonly Attack[];
  readonly ends: (attack: Attack) => readonly Outcome["kind"][];
  readonly caseCpuSeconds: number;
}

describe.each(nativeKinds.map((kind) => [kind.name, nativeGround(kind)] as const))(
  "native, %s",
  (_, ground) => defend(ground),
);

describe("wasm", () =>
  defend({
    level: "full",
    start: async () => {
      const sandboxes = await Promise.all(
        Array.from({ length: lanesPerSandbox }, () => createWasmSandbox({ workers: 1 })),
      );
      return { sandboxes, release: () => {} };
    },
    attacks: allAttacks.filter(({ wasm }) => wasm !== "skip"),
    ends: ({ ends, wasm }) => (wasm === undefined || wasm === "skip" ? ends : wasm),
    // It computes at half the speed, and compiles what it imports.
    caseCpuSeconds: 1.5,
  }));

function nativeGround(kind: NativeKind): Ground {
  return {
    level: kind.level,
    start: () => startNative(kind, lanesPerSandbox),
    attacks: attacksAt[kind.level],
    ends: ({ ends }) => ends,
    caseCpuSeconds: 0.4,
  };
}

function defend(ground: Ground): void {
  let why: string | undefined;
  let lanes: Lane[] = [];
  let pool: SlotPool<Lane>;
  let release = () => {};
  let scratches: string[] = [];
  let processesBefore: number[] = [];

  beforeAll(async () => {
    const started = await ground.start();
    if (typeof started === "string") {
      why = started;
      return;
    }
    release = started.release;
    const limits = { caseCpuSeconds: ground.caseCpuSeconds, caseWallSeconds: 10, programCpuSeconds: 10 };
    lanes = started.sandboxes.map((sandbox) => new Lane(sandbox, limits));
    pool = new SlotPool(lanes);
    scratches = await Promise.all(lanes.map(scratchOf));
    processesBefore = descendants();
  });

  afterAll(async () => {
    await Promise.all(lanes.map(({ sandbox }) => sandbox.close()));
    release();
  });

  // Waiting for a lane counts as well, and on a machine that is busy with other things seconds become minutes.
  describe.concurrent("withstands a program that", { timeout: 300_000 }, () => {
    it.for(ground.attacks)("$name", async (attack, context) => {
      if (why !== undefined) return context.skip(why);
      const lease = await pool.acquire();
      try {
        const { verdict, honestBefore, honestAfter } = await lease.slot.attackedBy(attack);
        const kinds = verdict.outcomes.map(({ kind }) => kind);
        expect(honestBefore).toEqual(["passed", "passed", "passed"]);
        expect(honestAfter, "the next program suffered").toEqual(["passed", "passed", "passed"]);
        const unexpected = verdict.outcomes.filter(({ kind }) => !ground.ends(attack).includes(kind));
        expect(unexpected, `ended as ${kinds}`).toEqual([]);
        if (attack.reachesNothingFrom === "filtered" || attack.reachesNothingFrom === ground.level) {
          expect(verdict.outcomes, "doors stood open").toEqual([{ kind: "wrong-answer", actual: "''" }]);
        }
      } finally {
        lease.release();
      }
    });
  });

  it("is left with nothing: no process, no file, no visitor", async (context) => {
    if (why !== undefined) return context.skip(why);
    expect(descendants(), "processes started or lost").toEqual(processesBefore);
    for (const lane of lanes) expect(await listing(lane)).toBe("[]");
    expect(visitors).toBe(0);
    if (ground.level !== "limits") expect(readFileSync(bait.file, "utf8")).toBe(content);
    expect(existsSync("/tmp/sparring-pickled")).toBe(false);
    const ours = descendantsOf(processesBefore);
    await Promise.all(lanes.map(({ sandbox }) => sandbox.close()));
    expect(descendants().filter((process) => ours.has(process))).toEqual([]);
    for (const scratch of scratches) if (scratch !== "/tmp") expect(existsSync(scratch)).toBe(false);
  });
}

async function said(lane: Lane, expression: string): Promise<string> {
  const { outcomes } = await lane.judge(`import os\ndef f(n): return ${expression}`, "function", {
    cases: 1,
  });
  const [outcome] = outcomes;
  if (outcome?.kind !== "wrong-answer")
    throw new Error(`the program said nothing: ${JSON.stringify(outcome)}`);
  return outcome.actual;
}

const scratchOf = async (lane: Lane) => (await said(lane, "os.getcwd()")).slice(1, -1);
const listing = (lane: Lane) => said(lane, "os.listdir(os.getcwd())");

/** Every process below this one. */
function descendants(): number[] {
  const found: number[] = [];
  const waiting = [process.pid];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const child of childrenOf(parent)) {
      found.push(child);
      waiting.push(child);
    }
  }
  return found.sort((left, right) => left - right);
}

function childrenOf(parent: number): number[] {
  try {
    return readdirSync(`/proc/${parent}/task`).flatMap((task) =>
      readFileSync(`/proc/${parent}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return []; // not Linux, or it has just ended
  }
}

/** Those of `processes` that are Python: the others are the test runner's. */
function descendantsOf(processes: readonly number[]): Set<number> {
  return new Set(
    processes.filter((process) => {
      try {
        return readFileSync(`/proc/${process}/cmdline`, "utf8").includes("worker.py");
      } catch {
        return false;
      }
    }),
  );
}
