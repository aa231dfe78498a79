import { engineContract } from "../engine-contract.ts";
import { openEmbeddedEngine } from "./embedded-engine.ts";
import { kernelVariants } from "./kernels.ts";

for (const kernels of kernelVariants) {
  engineContract(`embedded (${kernels} kernels)`, {
    open: () => openEmbeddedEngine({ threads: 2, kernels, memoryMegabytes: 256 }),
    lacks: [],
    model: { kind: "named", name: "tiny" },
    tolerance: 0,
    learningRate: 3e-3,
  });
}
