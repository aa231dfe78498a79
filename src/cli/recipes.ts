/** `spar recipes`: the ready-made configurations, and where they are. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { packageRoot } from "../package-root.ts";
import { printJson, printResult } from "./output.ts";

const folder = path.join(packageRoot, "recipes");

/** A path as it is, or a recipe of the package by its name. */
export function recipeFile(recipe: string): string {
  if (existsSync(recipe)) return recipe;
  const shipped = path.join(folder, `${path.basename(recipe).replace(/\.yaml$/, "")}.yaml`);
  return existsSync(shipped) ? shipped : recipe;
}

export function addRecipesCommand(program: Command): void {
  program
    .command("recipes")
    .description("list the ready-made configurations")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExample:\n  $ spar recipes")
    .action((flags: { json?: true }) => {
      const recipes = readdirSync(folder)
        .filter((name) => name.endsWith(".yaml"))
        .sort()
        .map((name) => ({
          name: name.slice(0, -".yaml".length),
          file: path.join(folder, name),
          about: aboutOf(name),
        }));
      if (flags.json) printJson(recipes);
      else printResult(recipes.map(({ name, about }) => `${name.padEnd(24)} ${about}`).join("\n"));
    });
}

/** The comment that a recipe opens with. */
function aboutOf(name: string): string {
  const lines = readFileSync(path.join(folder, name), "utf8").split("\n");
  return lines
    .slice(
      0,
      lines.findIndex((line) => !line.startsWith("#")),
    )
    .map((line) => line.replace(/^#\s*/, ""))
    .join(" ");
}
