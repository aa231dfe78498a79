/** Chooses and starts a sandbox. Whatever is chosen has passed its hostile self-test. */
import { availableParallelism } from "node:os";
import { messageOf, SparringError } from "../errors.ts";
import { createNativeSandbox } from "./native/native-sandbox.ts";
import { type IsolationLevel, isolationLevels, type Sandbox } from "./sandbox.ts";
import { selfTest } from "./self-test.ts";
import { createWasmSandbox } from "./wasm/wasm-sandbox.ts";

export const sandboxKinds = ["auto", "native", "wasm"] as const;
export type SandboxKind = (typeof sandboxKinds)[number];

export interface SandboxChoice {
  readonly kind?: SandboxKind;
  readonly workers?: number;
  readonly python?: string;
  /** Refuse to start below this level; `full` unless said. */
  readonly demand?: IsolationLevel;
}

/**
 * `auto` takes the native sandbox where the machine allows it the demanded level, and the WebAssembly one everywhere
 * else; it never settles for less.
 */
export async function createSandbox(choice: SandboxChoice = {}): Promise<Sandbox> {
  const { kind = "auto", demand = "full", workers = availableParallelism(), python } = choice;
  if (!isolationLevels.includes(demand)) throw new TypeError(`unknown isolation level ${demand}`);
  if (kind === "wasm") return checked(await createWasmSandbox({ workers }));
  const options = { workers, demand, ...(python === undefined ? {} : { python }) };
  if (kind === "native") return checked(await createNativeSandbox(options));
  try {
    return await checked(await createNativeSandbox(options));
  } catch (nativeError) {
    try {
      return await checked(await createWasmSandbox({ workers }));
    } catch (wasmError) {
      throw new SparringError({
        code: "no-sandbox",
        message: `no sandbox can be used here. native: ${messageOf(nativeError)}; wasm: ${messageOf(wasmError)}`,
        cause: wasmError,
      });
    }
  }
}

async function checked(sandbox: Sandbox): Promise<Sandbox> {
  try {
    await selfTest(sandbox);
    return sandbox;
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}
