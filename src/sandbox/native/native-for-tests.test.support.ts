/**
 * Native sandboxes for tests: at every level, as whoever runs the tests and, if that is root, as an ordinary user.
 * What this machine does not allow is skipped and says why.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../../errors.ts";
import { packageRoot } from "../../package-root.ts";
import type { IsolationLevel, Sandbox } from "../sandbox.ts";
import { createNativeSandbox, type NativeSandboxOptions } from "./native-sandbox.ts";

const ordinaryUser = 65_534;
const isRoot = process.getuid?.() === 0;

export interface NativeKind {
  readonly name: string;
  readonly level: IsolationLevel;
  readonly user?: number;
}

const levels: readonly IsolationLevel[] = ["full", "filtered", "limits"];

export const nativeKinds: readonly NativeKind[] = levels.flatMap((level): NativeKind[] =>
  isRoot
    ? [
        { name: `${level}, by root`, level },
        { name: `${level}, by an ordinary user`, level, user: ordinaryUser },
      ]
    : [{ name: `${level}, by this user`, level }],
);

/** A python3 that the ordinary user can run too: root's own may lie in root's home. */
export function pythonForTests(user = process.getuid?.()): string | undefined {
  return ["/usr/bin/python3", "/usr/local/bin/python3", "python3"].find(
    (command) => spawnSync(command, ["-I", "-c", "pass"], asUser(user)).status === 0,
  );
}

/** Options for a sandbox of that kind; starting it rejects where the machine does not allow it. */
export function nativeOptions({ level, user }: NativeKind): NativeSandboxOptions {
  const python = pythonForTests(user);
  return {
    atMost: level,
    demand: level,
    ...(python === undefined ? {} : { python }),
    ...(user === undefined ? {} : { user }),
  };
}

/** Sandboxes of one worker each, or why there can be none here. */
export async function startNative(
  kind: NativeKind,
  count: number,
): Promise<{ sandboxes: Sandbox[]; release: () => void } | string> {
  const options = { ...nativeOptions(kind), workers: 1 };
  if (options.python === undefined) return "no python3 that this user can run";
  const { create, release } = await nativeFor(kind.user, options.python);
  const started = await Promise.allSettled(Array.from({ length: count }, () => create(options)));
  const sandboxes = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failure = started.find((result) => result.status === "rejected");
  if (!failure) return { sandboxes, release };
  await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  release();
  return messageOf(failure.reason);
}

type Create = (options: NativeSandboxOptions) => Promise<Sandbox>;

/** A package that lies where the ordinary user cannot read is copied to where it can. */
async function nativeFor(
  user: number | undefined,
  python: string,
): Promise<{ create: Create; release: () => void }> {
  const worker = path.join(packageRoot, "python", "sandbox", "worker.py");
  const readable =
    spawnSync(python, ["-I", "-c", `open(${JSON.stringify(worker)})`], asUser(user)).status === 0;
  if (readable) return { create: createNativeSandbox, release: () => {} };
  const copy = mkdtempSync(path.join(tmpdir(), "sparring-copy-"));
  for (const folder of ["dist", "python"])
    cpSync(path.join(packageRoot, folder), path.join(copy, folder), { recursive: true });
  cpSync(path.join(packageRoot, "package.json"), path.join(copy, "package.json"));
  symlinkSync(path.join(packageRoot, "node_modules"), path.join(copy, "node_modules"));
  spawnSync("chmod", ["-R", "a+rX", copy]);
  const module = path.join(copy, "dist", "sandbox", "native", "native-sandbox.js");
  const { createNativeSandbox: create } = (await import(pathToFileURL(module).href)) as {
    createNativeSandbox: Create;
  };
  return { create, release: () => existsSync(copy) && rmSync(copy, { recursive: true }) };
}

function asUser(user: number | undefined) {
  return isRoot && user !== undefined && user !== 0 ? { uid: user, gid: user } : {};
}
