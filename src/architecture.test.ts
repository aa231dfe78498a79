/** Dependencies point one way, pure rooms do no input or output. Both would erode silently without this test. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "./package-root.ts";

/** What each room may import from, besides itself and the files directly below src/. */
const allowed: Record<string, readonly string[]> = {
  values: [],
  problems: ["values", "prompts"],
  prompts: ["values", "problems"],
  mutants: ["values", "prompts", "problems"],
  rewards: ["values", "problems"],
  mistakes: ["values", "problems"],
  sandbox: ["values"],
  engine: [],
  learning: ["engine"],
  judge: ["values", "problems", "prompts", "sandbox"],
  runs: ["values", "problems", "mistakes"],
  evaluation: ["values", "problems", "prompts", "rewards", "sandbox", "judge", "engine", "runs"],
  adversaries: ["values", "problems", "prompts", "mutants", "engine", "judge", "evaluation"],
  training: [
    "values",
    "problems",
    "prompts",
    "rewards",
    "mistakes",
    "sandbox",
    "engine",
    "learning",
    "judge",
    "runs",
    "evaluation",
    "adversaries",
  ],
  server: ["values", "problems", "prompts", "rewards", "sandbox", "judge", "runs", "evaluation"],
  cli: [
    "values",
    "problems",
    "prompts",
    "sandbox",
    "judge",
    "engine",
    "runs",
    "training",
    "evaluation",
    "adversaries",
    "server",
  ],
};

const pureRooms = ["values", "prompts", "mutants", "rewards", "mistakes", "learning"];

interface Import {
  readonly file: string;
  readonly room: string;
  readonly target: string;
}

function allImports(): Import[] {
  const source = path.join(packageRoot, "src");
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.includes(".test") && file.includes(path.sep))
    .flatMap((file) => {
      const text = readFileSync(path.join(source, file), "utf8");
      const room = file.split(path.sep)[0]!;
      return [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map((match) => ({
        file,
        room,
        target: match[1]!,
      }));
    });
}

function roomOf({ file, target }: Import): string | undefined {
  if (!target.startsWith(".")) return undefined;
  const parts = path.join(path.dirname(file), target).split(path.sep);
  return parts.length > 1 ? parts[0] : undefined;
}

describe("the house", () => {
  const imports = allImports();

  it("has only known rooms", () => {
    expect([...new Set(imports.map(({ room }) => room))].filter((room) => !(room in allowed))).toEqual([]);
  });

  it("imports only downwards", () => {
    const wrong = imports.filter((entry) => {
      const target = roomOf(entry);
      return target !== undefined && target !== entry.room && !allowed[entry.room]?.includes(target);
    });
    expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
  });

  it("keeps the pure rooms free of input and output", () => {
    const impure = imports.filter(
      ({ room, target }) => pureRooms.includes(room) && target.startsWith("node:"),
    );
    expect(impure.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
  });
});
