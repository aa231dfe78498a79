import { beforeEach, expect, test } from "vitest";
import { blockBytes } from "./block-pool.ts";
import { Decoder, decoderTableBytes, fewestBlocks } from "./decoder.ts";
import { initialWeights } from "./initial-weights.ts";
import type { ModelShape } from "./model-shape.ts";
import { layOut } from "./parameter-layout.ts";
import { randomStream } from "./random.ts";
import { rotationTables } from "./rotation-tables.ts";
import type { FinishedSample, SampleUnit } from "./sample-unit.ts";
import { openWorkbench, type Workbench } from "./testing/kernel-workbench.ts";
import { planWorkspace } from "./workspace.ts";

const shape: ModelShape = { layers: 2, width: 32, hidden: 32, context: 96 };
let bench: Workbench;
let parameters: number;
let finished: FinishedSample[];
beforeEach(async () => {
  bench = await openWorkbench("plain");
  parameters = bench.place(initialWeights(shape, 1));
  finished = [];
});

function openDecoder(blockCount: number): Decoder {
  const { kernels, memory } = bench;
  const plan = { shape, rows: 128, kernels, purpose: "inference" } as const;
  const workspace = planWorkspace(plan, memory.allocate(planWorkspace(plan, 0).bytes, "workspace").address);
  const bytes = decoderTableBytes(shape.context) + blockCount * blockBytes(shape);
  return new Decoder({
    pass: {
      kernels,
      shape,
      layout: layOut(shape),
      workspace,
      rotationTables: bench.place(rotationTables(shape.context)),
    },
    views: bench,
    place: { address: memory.allocate(bytes, "cache").address, blockCount },
    finished: (sample) => finished.push(sample),
  });
}

function unit(number: number, samples: number): SampleUnit {
  return {
    unit: number,
    parameters,
    prompt: Int32Array.from({ length: 20 + number * 3 }, (_, i) => (i * 7 + number) % 96),
    samples: Array.from({ length: samples }, (_, index) => ({
      index,
      stream: randomStream(1, `${number}`, index),
    })),
    maxTokens: 30,
    temperature: 1,
    topP: 1,
    stopTokenIds: [],
    stopSequences: [],
  };
}

function runToEnd(decoder: Decoder): Map<string, FinishedSample> {
  for (let tick = 0; decoder.busy; tick++) {
    if (tick > 2000) throw new Error("The decoder does not come to an end.");
    decoder.tick();
  }
  const results = new Map(finished.map((sample) => [`${sample.unit}/${sample.index}`, sample]));
  expect(results.size).toBe(finished.length);
  finished = [];
  return results;
}

test("units that have to wait for room get what they would have got at once", () => {
  const units = Array.from({ length: 9 }, (_, number) => unit(number, 8));
  const run = (blocks: number) => {
    const decoder = openDecoder(blocks);
    for (const one of units) decoder.add(one);
    return runToEnd(decoder);
  };
  const cramped = run(fewestBlocks(shape.context));
  expect(cramped.size).toBe(72);
  expect(run(400)).toEqual(cramped);
});

test("cancelled units report nothing more and give their room back", () => {
  const decoder = openDecoder(fewestBlocks(shape.context));
  for (let round = 0; round < 5; round++) {
    decoder.add(unit(1, 8));
    decoder.add(unit(2, 8));
    for (let tick = 0; tick < 3; tick++) decoder.tick();
    finished = [];
    decoder.cancel(1);
    decoder.cancel(2);
    expect(decoder.busy).toBe(false);
    decoder.tick();
    expect(finished).toEqual([]);
  }
  decoder.add(unit(3, 8));
  expect(runToEnd(decoder).size).toBe(8);
});

test("a completion that starts later runs beside the others, unchanged", () => {
  const alone = openDecoder(200);
  alone.add(unit(4, 2));
  const expected = runToEnd(alone);
  const decoder = openDecoder(200);
  decoder.add(unit(5, 3));
  for (let tick = 0; tick < 10; tick++) decoder.tick();
  decoder.add(unit(4, 2));
  const results = runToEnd(decoder);
  for (const [key, sample] of expected) expect(results.get(key)).toEqual(sample);
});
