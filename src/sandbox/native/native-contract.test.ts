import { describe } from "vitest";
import { messageOf } from "../../errors.ts";
import { sandboxContract } from "../sandbox-contract.test.support.ts";
import { nativeKinds, nativeOptions } from "./native-for-tests.test.support.ts";
import { createNativeSandbox } from "./native-sandbox.ts";

describe.each(nativeKinds)("native sandbox, $name", (kind) => {
  const start = () =>
    createNativeSandbox({ ...nativeOptions(kind), workers: 2 }).catch((error: unknown) => messageOf(error));
  sandboxContract(start);
});
