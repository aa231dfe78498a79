/**
 * A run says what it needs, an engine says what it can do; the difference is reported before anything starts.
 */
import { SparringError } from "../errors.ts";
import type { EngineDescription, TrainedParameters } from "./engine.ts";
import type { Objective } from "./objective.ts";

export interface EngineNeeds {
  readonly training?: true;
  readonly scoring?: true;
  readonly tokens?: true;
  readonly deterministic?: true;
  readonly savesState?: true;
  readonly objective?: Objective["kind"];
  readonly referencePenalty?: true;
  readonly trains?: TrainedParameters["kind"];
}

/** Every need that the engine does not meet, in words. */
export function missingAbilities({ abilities }: EngineDescription, needs: EngineNeeds): readonly string[] {
  const missing: string[] = [];
  if (needs.training && !abilities.training) missing.push("it cannot train");
  if (needs.scoring && !abilities.scoring) missing.push("it cannot score given texts");
  if (needs.tokens && !abilities.tokens) missing.push("it hides token ids and log-probabilities");
  if (needs.deterministic && !abilities.deterministic) missing.push("it is not deterministic");
  if (needs.savesState && !abilities.savesState) missing.push("it cannot save its state");
  if (needs.referencePenalty && !abilities.referencePenalty)
    missing.push("it has no penalty against a reference");
  if (needs.objective !== undefined && !abilities.objectives.includes(needs.objective))
    missing.push(`it does not know the objective '${needs.objective}'`);
  if (needs.trains !== undefined && !abilities.trains.includes(needs.trains))
    missing.push(`it cannot train '${needs.trains}' parameters`);
  return missing;
}

export function requireAbilities(description: EngineDescription, needs: EngineNeeds): void {
  const missing = missingAbilities(description, needs);
  if (missing.length > 0) {
    throw new SparringError({
      code: "engine-lacks-ability",
      message: `The ${description.kind} engine cannot do this run: ${missing.join("; ")}.`,
      hint: "Choose another engine, or change what the run asks for.",
    });
  }
}
