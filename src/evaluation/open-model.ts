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
import { SparringError } from "../errors.ts";
import { dialectLimits } from "../problems/arena/dialect.ts";
import { arenaDialect, type Dialect } from "../prompts/dialect.ts";
import { findWeights, type ModelRole } from "./find-weights.ts";

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
}

/** Everything one command opens: models in this process share one engine, and all are closed together. */
export class ModelShelf {
  readonly #engines = new Map<string, Promise<Engine>>();

  /** The same text may be opened in several roles. */
  async open({ text, role }: { text: string; role: ModelRole }): Promise<OpenedModel> {
    if (text.startsWith("openai:")) {
      throw new SparringError({ code: "model-unknown", message: "the openai engine is on its way" });
    }
    const { folder, description } = findWeights(text, role);
    const engine = await this.#engine("embedded", () => openEmbeddedEngine());
    const policy = await engine.openFrozen({ role, model: { kind: "folder", path: folder }, seed: 0 });
    const replyTokens = role === "code" ? dialectLimits.program : dialectLimits.suite;
    return { policy, engine, dialect: arenaDialect, role, description, replyTokens };
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#engines.values());
    this.#engines.clear();
    for (const engine of opened) if (engine.status === "fulfilled") await engine.value.close();
  }

  #engine(kind: string, open: () => Promise<Engine>): Promise<Engine> {
    const engine = this.#engines.get(kind) ?? open();
    this.#engines.set(kind, engine);
    return engine;
  }
}
