/** A model behind a server: it answers messages with texts, and nothing else of it can be seen. */
import { SparringError } from "../../errors.ts";
import {
  checkSampling,
  type SampledCompletion,
  type SampleRequest,
  type SamplingSettings,
} from "../completion.ts";
import type { FrozenPolicy, PolicyDescription, Tokenizer } from "../engine.ts";
import type { EndpointUsage } from "./chat-client.ts";
import { type ChatRequest, SamplingRun, type SamplingSetup } from "./sampling-run.ts";

export class OpenAIPolicy implements FrozenPolicy {
  readonly #setup: SamplingSetup;
  readonly #runs = new Set<SamplingRun>();
  readonly #released: () => void;
  #disposed = false;

  constructor(setup: SamplingSetup, released: () => void) {
    this.#setup = setup;
    this.#released = released;
  }

  describe(): PolicyDescription {
    const { role, model } = this.#setup;
    return { role, model, snapshot: { version: 0, step: 0 } };
  }

  usage(): EndpointUsage {
    return { ...this.#setup.client.usage };
  }

  sample(
    requests: readonly SampleRequest[],
    settings: SamplingSettings,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncIterable<SampledCompletion> {
    this.#mustBeOpen();
    checkSampling(requests, settings);
    if (settings.stopTokenIds?.length) throw lacking("stop at token ids");
    const chats = requests.map(chatOf);
    signal?.throwIfAborted();
    const run = new SamplingRun(this.#setup, chats, settings);
    const abort = () => run.abort(signal!.reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#runs.add(run);
    void run.execute().finally(() => {
      signal?.removeEventListener("abort", abort);
      this.#runs.delete(run);
    });
    return run.stream;
  }

  get tokenizer(): Tokenizer {
    throw lacking("show its tokenizer");
  }

  renderPrompt(): readonly number[] {
    throw lacking("render prompts as token ids");
  }

  async score(): Promise<readonly (readonly number[])[]> {
    throw lacking("score given texts");
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    const { role } = this.#setup;
    for (const run of this.#runs) {
      run.abort(
        new SparringError({
          code: "engine-policy-disposed",
          message: `Policy '${role}' was disposed while it was sampling.`,
        }),
      );
    }
    this.#released();
  }

  #mustBeOpen(): void {
    if (!this.#disposed) return;
    throw new SparringError({
      code: "engine-policy-disposed",
      message: `Policy '${this.#setup.role}' has been disposed.`,
    });
  }
}

function chatOf({ prompt, samples, key }: SampleRequest, index: number): ChatRequest {
  if (prompt.kind === "tokens") throw lacking("take prompts as token ids");
  return { messages: prompt.messages, samples, key: key ?? `#${index}` };
}

export function lacking(ability: string): SparringError {
  return new SparringError({
    code: "engine-lacks-ability",
    message: `The openai engine cannot ${ability}: a server shows nothing of its models but texts.`,
    hint: "It takes prompts as messages and gives texts. Tiny models of the embedded engine can do the rest.",
  });
}
