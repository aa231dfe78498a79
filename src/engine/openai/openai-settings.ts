/** How a server is reached and asked: what the caller said, the environment, and what is assumed otherwise. */
import { SparringError } from "../../errors.ts";
import type { Pacing } from "./chat-client.ts";
import { commandLineNames, type SettingNames } from "./setting-names.ts";

export type OnFailure = "throw" | "skip" | "skip-some";

export interface OpenAIEngineOptions {
  /** Left out: the environment variable OPENAI_BASE_URL, or OpenAI's own. */
  readonly baseUrl?: string | undefined;
  /** The environment variable that holds the key. Left out: OPENAI_API_KEY, which may be unset. */
  readonly apiKeyVariable?: string | undefined;
  /** Calls under way at the same time, over all policies of this engine. */
  readonly concurrency?: number | undefined;
  /** Most samples of one prompt that one call asks for. */
  readonly samplesPerCall?: number | undefined;
  /** Of one call, until its answer is complete. */
  readonly timeoutSeconds?: number | undefined;
  /** Tries after the first one. */
  readonly retries?: number | undefined;
  /** Answers that are larger are not read to the end. */
  readonly mostBytes?: number | undefined;
  /**
   * What happens when a sample is lost for good. `throw` ends the call of `sample`; `skip` goes on without the sample
   * and counts it, unless the key, the model or the address is wrong, or nothing arrives any more. `skip-some` does the
   * same, but a call of `sample` that brings nothing at all ends with the reason.
   */
  readonly onFailure?: OnFailure | undefined;
  /** What hints call these settings. Left out: the options of the command line. */
  readonly names?: SettingNames;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly sleep?: Pacing["sleep"];
  readonly random?: Pacing["random"];
}

export interface OpenAISettings {
  readonly baseUrl: string;
  readonly apiKeyVariable: string;
  readonly apiKey: string | undefined;
  readonly concurrency: number;
  readonly samplesPerCall: number;
  readonly timeoutSeconds: number;
  readonly retries: number;
  readonly mostBytes: number;
  readonly onFailure: OnFailure;
  readonly names: SettingNames;
}

const officialHost = "api.openai.com";
/** Beyond this, timers do not count. */
const mostTimeoutSeconds = 2_000_000;

export function resolveSettings(options: OpenAIEngineOptions): OpenAISettings {
  const environment = options.environment ?? process.env;
  const settings = {
    baseUrl: options.baseUrl ?? (environment.OPENAI_BASE_URL?.trim() || `https://${officialHost}/v1`),
    apiKeyVariable: options.apiKeyVariable ?? "OPENAI_API_KEY",
    concurrency: options.concurrency ?? 16,
    samplesPerCall: options.samplesPerCall ?? 5,
    timeoutSeconds: options.timeoutSeconds ?? 600,
    retries: options.retries ?? 6,
    mostBytes: options.mostBytes ?? 16 * 1024 * 1024,
    onFailure: options.onFailure ?? "throw",
    names: options.names ?? commandLineNames,
  };
  for (const name of ["concurrency", "samplesPerCall", "mostBytes"] as const)
    mustBeWhole(name, settings[name], 1);
  mustBeWhole("retries", settings.retries, 0);
  if (!(settings.timeoutSeconds > 0 && settings.timeoutSeconds <= mostTimeoutSeconds)) {
    throw invalid(
      `timeoutSeconds is ${settings.timeoutSeconds}; it must be above 0 and at most ${mostTimeoutSeconds}.`,
    );
  }
  const apiKey = readKey(settings.apiKeyVariable, environment);
  const needed = options.apiKeyVariable !== undefined || hostOf(settings.baseUrl) === officialHost;
  if (apiKey === undefined && needed) {
    throw new SparringError({
      code: "engine-key",
      message: `there is no key for ${settings.baseUrl}: the environment variable ${settings.apiKeyVariable} is not set`,
      hint: `Set it, name another one with ${settings.names.apiKeyVariable}, or another server with ${settings.names.baseUrl}.`,
    });
  }
  return { ...settings, apiKey };
}

/** The key never appears in a message, also not a wrong one. */
function readKey(
  variable: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const key = environment[variable]?.trim();
  if (!key) return undefined;
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new SparringError({
    code: "engine-key",
    message: `the environment variable ${variable} holds no key: there are spaces or unusual characters in it`,
    hint: "Set it to the key alone.",
  });
}

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname : undefined;
}

function mustBeWhole(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw invalid(`${name} is ${value}; it must be a whole number of at least ${least}.`);
}

function invalid(message: string): SparringError {
  return new SparringError({ code: "engine-settings-invalid", message });
}
