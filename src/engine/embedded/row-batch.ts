/**
 * From training records to rows for the model. Records that share a prompt are laid out together: the prompt's rows
 * once, then each completion's rows, which attend to the prompt and to themselves. A completion's last token is
 * never an input, so it has no row; its first token is predicted by the prompt's last row.
 *
 * Rows are cut into micro-batches that fit a thread's workspace, and micro-batches are dealt to a FIXED number of
 * shards. All of this depends on the batch alone, never on the number of threads, and each shard sums its gradient
 * in order: that is why results are the same bits for any number of threads.
 */
import type { TokenSequence, TrainingRecord } from "../token-batch.ts";

/** Gradient buffers of a policy, and the most threads that can train it at once. */
export const shardCount = 8;
/** Numbers that describe a segment: first row, length, position of the first row, first row of its prompt. */
export const segmentFields = 4;
const fewestRows = 128;
const mostRows = 512;

/** Rows of a workspace that holds any micro-batch of a model. */
export function workspaceRows(context: number): number {
  return Math.max(mostRows, context);
}

/** Everything a thread needs to know. All lists of targets run in parallel. */
export interface Microbatch {
  readonly tokens: Int32Array;
  readonly positions: Int32Array;
  readonly segments: Int32Array;
  /** Rows whose logits are needed. */
  readonly headRows: Int32Array;
  /** For each target the index into `headRows` of the row that predicts it. */
  readonly targetHeads: Int32Array;
  readonly targetTokens: Int32Array;
  /** For each target its place among all completion tokens of the batch, in the order of records. */
  readonly targetPlaces: Int32Array;
  readonly coefficients: Float64Array;
  readonly behaviourLogprobs: Float64Array;
  readonly referenceLogprobs: Float64Array;
  readonly penaltyWeights: Float64Array;
}

/** The micro-batches of each shard; a shard may have none. */
export type ShardedBatch = readonly (readonly Microbatch[])[];

/** Completions of one prompt, few enough to fit together. */
interface Family {
  readonly prompt: readonly number[];
  readonly members: readonly Member[];
  readonly rows: number;
}

interface Member {
  readonly record: TokenSequence & Partial<TrainingRecord>;
  /** Place of its first completion token in the batch. */
  readonly firstPlace: number;
}

export function shardBatch(
  batch: readonly (TokenSequence & Partial<TrainingRecord>)[],
  context: number,
): ShardedBatch {
  const most = workspaceRows(context);
  const families = findFamilies(batch, most);
  const totalRows = families.reduce((sum, family) => sum + family.rows, 0);
  const wanted = Math.min(most, Math.max(fewestRows, Math.ceil(totalRows / shardCount)));
  const shards: Microbatch[][] = Array.from({ length: shardCount }, () => []);
  const load = new Array<number>(shardCount).fill(0);
  for (const group of packFamilies(families, wanted)) {
    const lightest = load.indexOf(Math.min(...load));
    const microbatch = layOutRows(group);
    shards[lightest]!.push(microbatch);
    load[lightest]! += microbatch.tokens.length;
  }
  return shards;
}

function findFamilies(batch: readonly (TokenSequence & Partial<TrainingRecord>)[], most: number): Family[] {
  const membersByPrompt = new Map<string, { prompt: readonly number[]; members: Member[] }>();
  let firstPlace = 0;
  for (const record of batch) {
    const prompt = record.tokenIds.slice(0, record.promptLength);
    const key = prompt.join(",");
    const entry = membersByPrompt.get(key) ?? { prompt, members: [] };
    entry.members.push({ record, firstPlace });
    membersByPrompt.set(key, entry);
    firstPlace += record.tokenIds.length - record.promptLength;
  }
  return [...membersByPrompt.values()].flatMap(({ prompt, members }) => splitFamily(prompt, members, most));
}

/** A family too large for one workspace becomes several; each computes the prompt again. */
function splitFamily(prompt: readonly number[], members: readonly Member[], most: number): Family[] {
  const families: Family[] = [];
  let taken: Member[] = [];
  let rows = prompt.length;
  for (const member of members) {
    const own = rowsOf(member);
    if (taken.length > 0 && rows + own > most) {
      families.push({ prompt, members: taken, rows });
      taken = [];
      rows = prompt.length;
    }
    taken.push(member);
    rows += own;
  }
  families.push({ prompt, members: taken, rows });
  return families;
}

function rowsOf({ record }: Member): number {
  return record.tokenIds.length - record.promptLength - 1;
}

/** Neighbouring families together, as long as they stay within `wanted` rows. */
function packFamilies(families: readonly Family[], wanted: number): Family[][] {
  const groups: Family[][] = [];
  let rows = Number.POSITIVE_INFINITY;
  for (const family of families) {
    if (rows + family.rows > wanted) {
      groups.push([]);
      rows = 0;
    }
    groups.at(-1)!.push(family);
    rows += family.rows;
  }
  return groups;
}

function layOutRows(families: readonly Family[]): Microbatch {
  const tokens: number[] = [];
  const positions: number[] = [];
  const segments: number[] = [];
  const headRows: number[] = [];
  const targetHeads: number[] = [];
  const targetTokens: number[] = [];
  const targetPlaces: number[] = [];
  const columns = {
    coefficients: [] as number[],
    behaviourLogprobs: [] as number[],
    referenceLogprobs: [] as number[],
    penaltyWeights: [] as number[],
  };
  const addSegment = (ids: readonly number[], position: number, prefix: number) => {
    segments.push(tokens.length, ids.length, position, prefix);
    ids.forEach((id, index) => {
      tokens.push(id);
      positions.push(position + index);
    });
  };
  for (const { prompt, members } of families) {
    const prefix = tokens.length;
    addSegment(prompt, 0, prefix);
    const promptHead = headRows.push(tokens.length - 1) - 1;
    for (const { record, firstPlace } of members) {
      const completion = record.tokenIds.slice(record.promptLength);
      const ownRow = tokens.length;
      if (completion.length > 1) addSegment(completion.slice(0, -1), prompt.length, prefix);
      completion.forEach((token, index) => {
        targetHeads.push(index === 0 ? promptHead : headRows.push(ownRow + index - 1) - 1);
        targetTokens.push(token);
        targetPlaces.push(firstPlace + index);
        for (const name of Object.keys(columns) as (keyof typeof columns)[])
          columns[name].push(record[name]?.[index] ?? 0);
      });
    }
  }
  return {
    tokens: Int32Array.from(tokens),
    positions: Int32Array.from(positions),
    segments: Int32Array.from(segments),
    headRows: Int32Array.from(headRows),
    targetHeads: Int32Array.from(targetHeads),
    targetTokens: Int32Array.from(targetTokens),
    targetPlaces: Int32Array.from(targetPlaces),
    coefficients: Float64Array.from(columns.coefficients),
    behaviourLogprobs: Float64Array.from(columns.behaviourLogprobs),
    referenceLogprobs: Float64Array.from(columns.referenceLogprobs),
    penaltyWeights: Float64Array.from(columns.penaltyWeights),
  };
}
