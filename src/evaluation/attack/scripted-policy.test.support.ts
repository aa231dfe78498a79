/** A generator whose replies are known beforehand: what the judging makes of them is what is under test. */
import {
  checkSampling,
  type Prompt,
  type SampleRequest,
  type SamplingSettings,
  type StopReason,
} from "../../engine/completion.ts";
import type { FrozenPolicy } from "../../engine/engine.ts";

export interface ScriptedReply {
  readonly text: string;
  readonly stopReason?: StopReason;
}

export interface ScriptedPolicy extends FrozenPolicy {
  readonly asked: { readonly requests: readonly SampleRequest[]; readonly settings: SamplingSettings }[];
}

/** Answers the last requests first, as a server may. */
export function scriptedPolicy(
  replyTo: (request: SampleRequest, sample: number) => ScriptedReply | "lost",
  { contextLength }: { contextLength?: number } = {},
): ScriptedPolicy {
  const asked: ScriptedPolicy["asked"] = [];
  const unused = () => {
    throw new Error("an evaluation only samples");
  };
  return {
    asked,
    describe: () => ({
      role: "test",
      model: "script",
      ...(contextLength !== undefined && { contextLength }),
      snapshot: { version: 0, step: 0 },
    }),
    tokenizer: {
      encode: (text) => [...text].map((character) => character.codePointAt(0)!),
      decode: unused,
      endTokenId: 0,
      vocabularySize: 0x110000,
    },
    // A token is a character.
    renderPrompt: (messages) => [...promptText({ kind: "messages", messages })].map(() => 0),
    score: unused,
    dispose: async () => {},
    async *sample(requests, settings, options) {
      checkSampling(requests, settings);
      asked.push({ requests, settings });
      for (const [requestIndex, request] of [...requests.entries()].reverse()) {
        for (let sampleIndex = request.samples - 1; sampleIndex >= 0; sampleIndex -= 1) {
          options?.signal?.throwIfAborted();
          const reply = replyTo(request, sampleIndex);
          if (reply === "lost") continue;
          const { text, stopReason = "end" } = reply;
          const completion = {
            text,
            stopReason,
            tokenIds: [],
            logprobs: [],
            promptTokenIds: [],
            role: "test",
            policyVersion: 0,
          };
          yield { requestIndex, sampleIndex, completion };
        }
      }
    },
  };
}

/** The text of a prompt, whichever form it has. */
export function promptText(prompt: Prompt): string {
  return prompt.kind === "messages"
    ? prompt.messages.map(({ content }) => content).join("\n")
    : String.fromCodePoint(...prompt.tokenIds);
}
