/**
 * Opens a model from the one text that people write on a command line, and says which dialect it speaks:
 *
 *   arena            the tiny model that is shipped with sparring
 *   <folder>         weights that the embedded engine wrote, a checkpoint, or a run (its newest checkpoint)
 *   openai:<model>   any server that speaks the OpenAI protocol
 *
 * @example
 * const shelf = new ModelShelf();
 * try {
 *   const model = await shelf.open({ text: "arena", role: "test" });
 *   const prompt = enginePrompt(model.policy, model.dialect.attackPrompt(problem, buggy));
 * } finally {
 *   await shelf.close();
 * }
 */
import { openEmbeddedEngine } from "../engine/embedded/embedded-engine.ts";
import type { Engine, FrozenPolicy } from "../engine/engine.ts";
import {
  type EndpointUsage,
  type OpenAIEngineOptions,
  openOpenAIEngine,
} from "../engine/openai/openai-engine.ts";
import { SparringError } from "../errors.ts";
import { dialectLimits } from "../problems/arena/dialect.ts";
import { arenaDialect, chatDialect, type Dialect } from "../prompts/dialect.ts";
import { findWeights, type ModelRole, modelForms } from "./find-weights.ts";

export type { ModelRole };

export interface OpenedModel {
  readonly policy: FrozenPolicy;
  readonly engine: Engine;
  readonly dialect: Dialect;
  readonly role: ModelRole;
  /** What was opened, for people and reports. */
  readonly description: string;
  /** How many tokens a reply of this kind of model needs at most, unless somebody says otherwise. */
  readonly replyTokens: number;
  /** What asking the model's server has cost so far; missing for models in this process. */
  readonly usage?: () => EndpointUsage;
}

/** Room for thinking aloud; both papers let their models write no more. */
const chatTokens = 4096;

/** Everything one command opens: models in this process share one engine, and all are closed together. */
export class ModelShelf {
  readonly #endpoint: OpenAIEngineOptions;
  #embedded: Promise<Engine> | undefined;
  #openai: ReturnType<typeof openOpenAIEngine> | undefined;

  /** `endpoint`: how to reach `openai:` models. */
  constructor({ endpoint = {} }: { readonly endpoint?: OpenAIEngineOptions } = {}) {
    this.#endpoint = endpoint;
  }

  /** The same text may be opened in several roles. */
  async open({ text, role }: { readonly text: string; readonly role: ModelRole }): Promise<OpenedModel> {
    const [, scheme, name] = /^([a-z][a-z0-9+.-]+):(?![\\/])(.*)$/is.exec(text) ?? [];
    if (scheme === undefined || name === undefined) return this.#openWeights(text, role);
    if (scheme.toLowerCase() === "openai") return this.#openServed(name, role);
    throw new SparringError({
      code: "model-unknown",
      message: `'${text}' names no model: there is no engine '${scheme}'`,
      hint: modelForms,
    });
  }

  async close(): Promise<void> {
    await this.#openai?.close();
    await (await this.#embedded?.catch(() => undefined))?.close();
  }

  async #openWeights(text: string, role: ModelRole): Promise<OpenedModel> {
    const { folder, description } = findWeights(text, role);
    this.#embedded ??= openEmbeddedEngine();
    const engine = await this.#embedded;
    const policy = await engine.openFrozen({ role, model: { kind: "folder", path: folder }, seed: 0 });
    const replyTokens = role === "code" ? dialectLimits.program : dialectLimits.suite;
    return { policy, engine, dialect: arenaDialect, role, description, replyTokens };
  }

  async #openServed(name: string, role: ModelRole): Promise<OpenedModel> {
    this.#openai ??= openOpenAIEngine(this.#endpoint);
    const engine = this.#openai;
    const policy = await engine.openFrozen({ role, model: { kind: "named", name: name.trim() }, seed: 0 });
    return {
      policy,
      engine,
      dialect: chatDialect,
      role,
      description: `${name.trim()} at ${engine.describe().details.address}`,
      replyTokens: chatTokens,
      usage: () => policy.usage(),
    };
  }
}
