/**
 * The options by which commands choose models: one flag for each model, and how to reach and sample them. Besides the
 * named flags this adds --base-url, --api-key-env, --concurrency, --temperature, --top-p and --max-tokens.
 *
 * @example
 * addModelOptions(command, { models: [{ flag: "model", role: "test" }], temperature: 0.7 });
 * // … in the action:
 * const shelf = shelfOf(flags);
 * try {
 *   const model = await shelf.open({ text: flags.model, role: "test" });
 *   const sampling = samplingOf(flags, model, { seed: flags.seed, stopStrings: model.dialect.stopStrings });
 * } finally {
 *   await shelf.close();
 * }
 */
import { type Command, InvalidArgumentError } from "commander";
import type { SamplingSettings } from "../engine/completion.ts";
import { type ModelRole, ModelShelf, type OpenedModel } from "../evaluation/open-model.ts";
import { wholeNumber } from "./sandbox-options.ts";

/** Without the flags that name the models: those belong to the command. */
export interface ModelFlags {
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  readonly concurrency?: number;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens?: number;
}

export interface ModelFlag {
  /** `model` gives `--model <model>`. */
  readonly flag: string;
  readonly role: ModelRole;
  /** Without it the flag must be given. */
  readonly default?: string;
}

export function addModelOptions(
  command: Command,
  options: { readonly models: readonly ModelFlag[]; readonly temperature: number; readonly topP?: number },
): Command {
  for (const { flag, role, default: preset } of options.models) {
    const line = `--${flag} <model>`;
    const text = `the model that writes ${role === "code" ? "programs" : "tests"}: arena, a folder, or openai:MODEL`;
    if (preset === undefined) command.requiredOption(line, text);
    else command.option(line, text, preset);
  }
  return command
    .option("--base-url <address>", "server of openai: models (default: OPENAI_BASE_URL, or OpenAI's)")
    .option(
      "--api-key-env <name>",
      "environment variable that holds the server's key (default: OPENAI_API_KEY)",
    )
    .option("--concurrency <n>", "requests to a server at the same time (default: 16)", wholeNumber)
    .option("--temperature <t>", "0 takes the most likely token", temperatureNumber, options.temperature)
    .option("--top-p <p>", "draw only from the most likely tokens", shareNumber, options.topP ?? 1)
    .option("--max-tokens <n>", "longest reply (default: what the kind of model needs)", tokenNumber);
}

/**
 * Where the command's models stand. With `throw`, a call of `sample` gives all samples or fails, so that nothing partial
 * is taken for whole; refused-problems.ts goes on after a prompt that a model does not take. With `skip`, samples that a
 * server does not give are left out; `OpenedModel.usage` counts them.
 */
export function shelfOf(flags: ModelFlags, onFailure: "throw" | "skip" = "throw"): ModelShelf {
  const { baseUrl, apiKeyEnv: apiKeyVariable, concurrency } = flags;
  return new ModelShelf({ endpoint: { baseUrl, apiKeyVariable, concurrency, onFailure } });
}

export function samplingOf(
  flags: ModelFlags,
  model: OpenedModel,
  { seed, stopStrings }: { readonly seed: number; readonly stopStrings: readonly string[] },
): SamplingSettings {
  return {
    temperature: flags.temperature,
    topP: flags.topP,
    maxTokens: flags.maxTokens ?? model.replyTokens,
    seed,
    ...(stopStrings.length > 0 && { stopStrings }),
  };
}

function temperatureNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= 10)) {
    throw new InvalidArgumentError("It must be a number from 0 to 10.");
  }
  return value;
}

function shareNumber(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError("It must be above 0 and at most 1.");
  return value;
}

function tokenNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1_000_000) {
    throw new InvalidArgumentError("It must be a whole number from 1 to 1000000.");
  }
  return value;
}
