/**
 * The script that is sent to a SandboxFusion host: our harness, the program and its calls in one file. Everything
 * travels compressed in one literal, so that no program text can end the literal or reach the script's own names.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { deflateSync } from "node:zlib";
import { packageRoot } from "../../package-root.ts";
import type { Limits } from "../limits.ts";

export interface FusionParcel {
  /** Begins every record; new for each request. */
  readonly marker: string;
  /** File for records that do not fit on standard output; null where the host does not give files back. */
  readonly spill: string | null;
  /** The harness's job; null to learn what the host can do. */
  readonly job: unknown;
  readonly limits: Limits | null;
}

const moduleNames = ["wire", "harness", "remote_driver"] as const;
let modules: Promise<Record<string, string>> | undefined;

export async function fusionScript(parcel: FusionParcel): Promise<string> {
  modules ??= readModules();
  const text = JSON.stringify({ ...parcel, modules: await modules });
  return `import binascii, json, sys, types, zlib
parcel = json.loads(zlib.decompress(binascii.a2b_base64("${deflateSync(text).toString("base64")}")))
for name in ${JSON.stringify(moduleNames)}:
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(parcel["modules"][name], name + ".py", "exec"), module.__dict__)
sys.modules["remote_driver"].run(parcel)
`;
}

async function readModules(): Promise<Record<string, string>> {
  const read = (name: string) => readFile(path.join(packageRoot, "python", "sandbox", `${name}.py`), "utf8");
  return Object.fromEntries(await Promise.all(moduleNames.map(async (name) => [name, await read(name)])));
}
