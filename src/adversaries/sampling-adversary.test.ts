import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import type { SampleRequest, SamplingSettings } from "../engine/completion.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import { arenaProblems } from "../problems/arena/arena.ts";
import { chatDialect } from "../prompts/dialect.ts";
import { samplingAdversary } from "./sampling-adversary.ts";

/** A server whose texts follow from key and seed; what is asked for later is there sooner. */
function server() {
  const traffic = { underWay: 0, most: 0, calls: 0 };
  async function* sample([request]: readonly SampleRequest[], { seed }: SamplingSettings) {
    traffic.underWay += 1;
    traffic.calls += 1;
    traffic.most = Math.max(traffic.most, traffic.underWay);
    await wait(20 - traffic.calls);
    traffic.underWay -= 1;
    const { key, samples } = request!;
    for (let sampleIndex = 0; sampleIndex < samples; sampleIndex += 1) {
      const text = `\`\`\`python\n# ${key} ${seed} ${sampleIndex}\n\`\`\``;
      yield { requestIndex: 0, sampleIndex, completion: { text } };
    }
  }
  const policy = { sample, describe: () => ({ role: "code" }) } as unknown as FrozenPolicy;
  return { policy, traffic };
}

async function proposals(ahead: number) {
  const { policy, traffic } = server();
  const settings = { temperature: 1, topP: 1, maxTokens: 9, chunk: 2 };
  const adversary = samplingAdversary({ policy, dialect: chatDialect, ...settings, ahead });
  const [problem] = arenaProblems({ split: "train", limit: 1 });
  const sources: string[] = [];
  for await (const source of adversary.propose({ problem: problem!, tests: [], most: 9, seed: 3 }))
    sources.push(source);
  return { sources, traffic };
}

it("asks for chunks at the same time and proposes the same programs in the same order", async () => {
  const [alone, ahead] = [await proposals(0), await proposals(2)];
  expect(ahead.sources).toEqual(alone.sources);
  expect(new Set(ahead.sources).size).toBe(9);
  expect([alone.traffic, ahead.traffic]).toMatchObject([
    { most: 1, calls: 5 },
    { most: 2, calls: 5 },
  ]);
});
