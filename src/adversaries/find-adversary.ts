/**
 * Draws proposals until one is accepted or the tries are used up. Proposals are judged a few at a time, and of those
 * accepted the earliest wins, so the result does not depend on which finishes first. A text that was proposed before
 * counts as a try (it was drawn) but is not judged again.
 */
import { SparringError } from "../errors.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import { judgeProposal, type ProposalVerdict } from "./accept-program.ts";
import type { Adversary, AdversaryRequest } from "./adversary.ts";

export interface AdversarySearch {
  /** The accepted program; undefined where the tries were used up. */
  readonly source: string | undefined;
  readonly tries: number;
  /** How many proposals got which verdict. */
  readonly verdicts: Readonly<Partial<Record<ProposalVerdict, number>>>;
  /** Why the adversary itself failed where that may pass, for example a server that is down. */
  readonly failure?: string;
}

const judgedTogether = 5;

export async function findAdversary(
  adversary: Adversary,
  court: Court,
  request: AdversaryRequest,
): Promise<AdversarySearch> {
  const { problem, tests, most } = request;
  const known = new Map<string, Promise<ProposalVerdict>>();
  const verdicts: Partial<Record<ProposalVerdict, number>> = {};
  let tries = 0;
  const judgeBatch = async (sources: readonly string[]): Promise<string | undefined> => {
    const judged = sources.map((source) => {
      const verdict =
        known.get(source) ??
        (request.unwanted?.(source)
          ? Promise.resolve<ProposalVerdict>("unwanted")
          : judgeProposal(court, { problem, source, tests }));
      known.set(source, verdict);
      return verdict;
    });
    for (const [index, verdict] of (await Promise.all(judged)).entries()) {
      tries += 1;
      verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
      if (verdict === "accepted") return sources[index];
    }
    return undefined;
  };
  try {
    let batch: string[] = [];
    let proposed = 0;
    for await (const source of adversary.propose(request)) {
      batch.push(source);
      proposed += 1;
      if (batch.length < judgedTogether && proposed < most) continue;
      const found = await judgeBatch(batch);
      if (found !== undefined) return { source: found, tries, verdicts };
      batch = [];
      if (proposed >= most) break;
    }
    return { source: await judgeBatch(batch), tries, verdicts };
  } catch (error) {
    const failure = request.signal?.aborted ? undefined : passingFailure(error);
    if (failure === undefined) throw error;
    return { source: undefined, tries, verdicts, failure };
  }
}

/** Down, overloaded, too slow; or this one prompt is turned down or too long, of which another problem knows nothing. */
const passingCodes = new Set(["engine-endpoint", "engine-prompt-refused", "engine-prompt-invalid"]);

/**
 * What is wrong with a server for now: that costs a replacement, not the run. A wrong key or model, and a defect of
 * our own, would turn the run into one without adversary: those are undefined here, for the caller to throw.
 */
export function passingFailure(error: unknown): string | undefined {
  return error instanceof SparringError && passingCodes.has(error.code) ? error.message : undefined;
}
