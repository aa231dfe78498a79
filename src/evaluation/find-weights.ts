/**
 * Which folder holds the weights that a text on the command line means. A run stands for its newest checkpoint, a
 * checkpoint for the role that is asked for.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { messageOf, SparringError } from "../errors.ts";
import { nearestName } from "../nearest-name.ts";
import { packageRoot } from "../package-root.ts";
import { Checkpoints } from "../runs/checkpoints.ts";

export type ModelRole = "code" | "test";

export interface FoundWeights {
  readonly folder: string;
  readonly description: string;
}

export const modelForms =
  "A model is `arena` (the shipped one), a folder of a run, of a checkpoint or of exported weights, or `openai:MODEL` (with --base-url for another server).";

const weightsName = "weights.safetensors";

export function findWeights(text: string, role: ModelRole): FoundWeights {
  if (text === "arena") {
    return { folder: path.join(packageRoot, "models", "arena"), description: "arena (the shipped model)" };
  }
  const kind = statSync(text, { throwIfNoEntry: false });
  if (!kind) throw unknownModel(text);
  if (!kind.isDirectory()) {
    if (path.basename(text) === weightsName) return { folder: path.dirname(text), description: text };
    throw noModel(
      `${text} is a file that is no model; the embedded engine's weights are called ${weightsName}`,
    );
  }
  if (holdsWeights(text)) return { folder: text, description: text };
  if (existsSync(path.join(text, "checkpoints"))) return inRun(text, role);
  if (holdsWeights(path.join(text, "code")) || holdsWeights(path.join(text, "test"))) {
    return inCheckpoint({ checkpoint: text, runFolder: path.resolve(text, "..", ".."), name: text }, role);
  }
  if (existsSync(path.join(text, "config.json"))) {
    throw new SparringError({
      code: "model-unknown",
      message: `${text} looks like a Hugging Face model; the embedded engine cannot run it`,
      hint: "Serve it, for example with vLLM, and name it as openai:MODEL with --base-url (docs/engines.md).",
    });
  }
  throw noModel(
    `the folder ${text} holds no model: neither ${weightsName}, nor checkpoints/, nor a role's folder (code/, test/)`,
  );
}

function inRun(runFolder: string, role: ModelRole): FoundWeights {
  const step = new Checkpoints(runFolder).steps().at(-1);
  if (step === undefined) {
    throw noModel(`the run ${runFolder} has no complete checkpoint yet`);
  }
  const checkpoint = path.join(runFolder, "checkpoints", `step-${step}`);
  return inCheckpoint({ checkpoint, runFolder, name: `${runFolder} at step ${step}` }, role);
}

function inCheckpoint(
  { checkpoint, runFolder, name }: { checkpoint: string; runFolder: string; name: string },
  role: ModelRole,
): FoundWeights {
  const own = path.join(checkpoint, role);
  if (holdsWeights(own)) return { folder: own, description: `${name} (${role})` };
  const other = role === "code" ? "test" : "code";
  const shared = path.join(checkpoint, other);
  if (!holdsWeights(shared)) throw noModel(`${name} holds no weights in ${own}`);
  if (isSelfPlay(runFolder)) return { folder: shared, description: `${name} (one model for both roles)` };
  throw new SparringError({
    code: "model-unknown",
    message: `${name} trained no ${role} model: ${own} does not exist`,
    hint: `It has a ${other} model. To use that one as it is, name its folder: ${shared}`,
  });
}

/** One model plays both roles there, and is saved once. */
function isSelfPlay(runFolder: string): boolean {
  const file = path.join(runFolder, "config.yaml");
  if (!existsSync(file)) return false;
  try {
    return parse(readFileSync(file, "utf8"))?.method?.kind === "self-play";
  } catch (cause) {
    throw new SparringError({
      code: "model-unknown",
      message: `${file} cannot be read: ${messageOf(cause)}`,
      cause,
    });
  }
}

function holdsWeights(folder: string): boolean {
  return existsSync(path.join(folder, weightsName));
}

function unknownModel(text: string): SparringError {
  if (text.trim() === "") return noModel("the name of the model is empty");
  const meant = nearestName(text, ["arena"]);
  const guess = meant ? `; did you mean '${meant}'?` : "";
  return noModel(
    `there is no model '${text}': no shipped model has this name, and no such folder exists${guess}`,
  );
}

function noModel(message: string): SparringError {
  return new SparringError({ code: "model-unknown", message, hint: modelForms });
}
