/** `spar recipes`: the ready-made configurations, and where they are. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { SparringError } from "../errors.ts";
import { nearestName } from "../nearest-name.ts";
import { packageRoot } from "../package-root.ts";
import { printJson, printResult } from "./output.ts";

const folder = path.join(packageRoot, "recipes");

/** A path as it is, or a recipe of the package by its name. */
export function recipeFile(recipe: string): string {
  if (existsSync(recipe)) return recipe;
  const name = path.basename(recipe).replace(/\.yaml$/, "");
  const shipped = path.join(folder, `${name}.yaml`);
  if (existsSync(shipped)) return shipped;
  const nearest = nearestName(name, recipeNames());
  throw new SparringError({
    code: "config-missing",
    message: `there is neither a file nor a recipe '${recipe}'`,
    hint: nearest ? `Did you mean '${nearest}'?` : "`spar recipes` lists the ready-made configurations.",
  });
}

function recipeNames(): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => name.slice(0, -".yaml".length))
    .sort();
}

export function addRecipesCommand(program: Command): void {
  program
    .command("recipes")
    .description("list the ready-made configurations")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExample:\n  $ spar recipes")
    .action((flags: { json?: true }) => {
      const recipes = recipeNames().map((name) => {
        const file = path.join(folder, `${name}.yaml`);
        return { name, file, about: aboutOf(file) };
      });
      if (flags.json) printJson(recipes);
      else printResult(recipes.map(({ name, about }) => `${name.padEnd(24)} ${about}`).join("\n"));
    });
}

/** The comment that a recipe opens with. */
function aboutOf(file: string): string {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines
    .slice(
      0,
      lines.findIndex((line) => !line.startsWith("#")),
    )
    .map((line) => line.replace(/^#\s*/, ""))
    .join(" ");
}
