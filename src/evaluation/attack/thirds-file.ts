/** A split into thirds on disk, so that every later evaluation uses the same one. */
import { z } from "zod";
import { messageOf, SparringError } from "../../errors.ts";
import { readTextFile } from "../../problems/read-text-file.ts";
import { writeWhole } from "../../runs/write-whole.ts";
import { difficultyThirds, type PairRate, type Third, thirds } from "./difficulty-thirds.ts";

const fileSchema = z.object({
  kind: z.literal("difficulty-thirds"),
  version: z.literal(1),
  /** What ranked the pairs, and how. */
  model: z.string(),
  samples: z.number(),
  temperature: z.number(),
  /** From the easiest to the hardest. */
  pairs: z.array(z.object({ id: z.string(), rate: z.number(), third: z.enum(thirds) })),
});
export type ThirdsFile = z.infer<typeof fileSchema>;

export function writeThirds(
  file: string,
  ranking: Pick<ThirdsFile, "model" | "samples" | "temperature"> & { readonly rates: readonly PairRate[] },
): ThirdsFile {
  const { rates, ...how } = ranking;
  const content: ThirdsFile = {
    kind: "difficulty-thirds",
    version: 1,
    ...how,
    pairs: difficultyThirds(rates),
  };
  try {
    writeWhole(file, `${JSON.stringify(content, null, 1)}\n`);
  } catch (error) {
    if (error instanceof SparringError) throw error;
    throw new SparringError({
      code: "file-unwritable",
      message: `${file} cannot be written: ${messageOf(error)}`,
      hint: "Check that its folder exists.",
      cause: error,
    });
  }
  return content;
}

/** Which third each pair belongs to. */
export async function readThirds(file: string): Promise<ReadonlyMap<string, Third>> {
  const text = await readTextFile(file);
  const found = fileSchema.safeParse(parse(text));
  if (!found.success) {
    const field = found.error.issues[0]!.path.join(".");
    throw new SparringError({
      code: "thirds-invalid",
      message: `${file} is not a split into thirds${field && `: '${field}' is missing or wrong`}`,
      hint: "Name a file that `spar eval attack --write-thirds` has written.",
    });
  }
  return new Map(found.data.pairs.map(({ id, third }) => [id, third]));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
