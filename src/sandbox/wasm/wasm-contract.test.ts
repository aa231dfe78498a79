import { describe } from "vitest";
import { sandboxContract } from "../sandbox-contract.test.support.ts";
import { createWasmSandbox } from "./wasm-sandbox.ts";

describe("wasm sandbox", () => {
  const start = () => createWasmSandbox({ workers: 2 });
  sandboxContract(start);
});
