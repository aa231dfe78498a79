/**
 * Models behind any server that speaks the OpenAI protocol (OpenAI, vLLM, llama.cpp, Ollama …), by POST
 * {base}/chat/completions. They can be sampled and nothing more: no training, no scores, no tokens, and the same seed
 * need not give the same text. Good for evaluation, best-of-n and a fixed opponent.
 *
 * @example
 * const engine = openOpenAIEngine({ baseUrl: "http://localhost:8000/v1" });
 * const model = { kind: "named", name: "Qwen/Qwen2.5-Coder-7B-Instruct" } as const;
 * const policy = await engine.openFrozen({ role: "code", model, seed: 0 });
 */
import { SparringError } from "../../errors.ts";
import type { Engine, EngineDescription, PolicySpec } from "../engine.ts";
import { CallFault } from "./call-fault.ts";
import { ChatClient, type Pacing, realPacing } from "./chat-client.ts";
import { Endpoint } from "./endpoint.ts";
import { endpointError, type FaultScope } from "./endpoint-error.ts";
import { Gate } from "./gate.ts";
import { lacking, OpenAIPolicy } from "./openai-policy.ts";
import { type OpenAIEngineOptions, type OpenAISettings, resolveSettings } from "./openai-settings.ts";

export type { EndpointUsage } from "./chat-client.ts";
export type { OpenAIEngineOptions };

/** Nothing is sent before the first sample is asked for. */
export function openOpenAIEngine(options: OpenAIEngineOptions = {}): OpenAIEngine {
  const settings = resolveSettings(options);
  const { sleep = realPacing.sleep, random = realPacing.random } = options;
  return new OpenAIEngine(settings, { sleep, random, retries: settings.retries });
}

class OpenAIEngine implements Engine {
  readonly #settings: OpenAISettings;
  readonly #pacing: Pacing;
  readonly #endpoint: Endpoint;
  readonly #gate: Gate;
  readonly #policies = new Set<OpenAIPolicy>();
  #closed = false;

  constructor(settings: OpenAISettings, pacing: Pacing) {
    this.#settings = settings;
    this.#pacing = pacing;
    this.#endpoint = new Endpoint(settings);
    this.#gate = new Gate(settings.concurrency);
  }

  describe(): EngineDescription {
    const { concurrency, samplesPerCall, timeoutSeconds, retries, onFailure } = this.#settings;
    return {
      kind: "openai",
      abilities: {
        training: false,
        scoring: false,
        objectives: [],
        referencePenalty: false,
        trains: [],
        tokens: false,
        immutableSnapshots: false,
        deterministic: false,
        savesState: false,
      },
      details: {
        address: this.#endpoint.name,
        concurrency,
        samplesPerCall,
        timeoutSeconds,
        retries,
        onFailure,
      },
    };
  }

  async openPolicy({ role }: PolicySpec): Promise<never> {
    throw lacking(`train the model of '${role}'`);
  }

  async openFrozen({ role, model }: PolicySpec): Promise<OpenAIPolicy> {
    if (this.#closed) throw new SparringError({ code: "engine-closed", message: "The engine is closed." });
    if (model.kind === "folder") throw lacking(`open the folder ${model.path}`);
    if (model.name.trim() === "") {
      throw new SparringError({
        code: "engine-model-unknown",
        message: "The name of the model is empty.",
        hint: `${this.#endpoint.name}/models lists what the server has.`,
      });
    }
    const { samplesPerCall, onFailure } = this.#settings;
    const policy: OpenAIPolicy = new OpenAIPolicy(
      {
        role,
        model: model.name,
        client: new ChatClient(this.#endpoint, this.#pacing),
        gate: this.#gate,
        samplesPerCall,
        onFailure,
        errorOf: (fault, scope) => this.#errorOf(fault, model.name, scope),
      },
      () => this.#policies.delete(policy),
    );
    this.#policies.add(policy);
    return policy;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#policies].map((policy) => policy.dispose()));
    this.#endpoint.close();
  }

  /** Whatever the server said is made harmless before anybody sees it, the cause included. */
  #errorOf({ kind, message, status }: CallFault, model: string, scope: FaultScope): SparringError {
    const { apiKeyVariable, apiKey, names } = this.#settings;
    const details = status === undefined ? {} : { status };
    const asked = {
      model,
      address: this.#endpoint.name,
      apiKeyVariable,
      apiKey: apiKey === undefined ? ("absent" as const) : ("sent" as const),
      names,
    };
    return endpointError(new CallFault(kind, this.#endpoint.quote(message), details), asked, scope);
  }
}
