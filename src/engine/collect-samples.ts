/** Waits for a whole call of `sample` and puts its completions back in order. */
import type { Completion, SampleRequest, SamplingSettings } from "./completion.ts";
import type { FrozenPolicy } from "./engine.ts";

/** One list for each request, one completion for each sample but those that the engine was told to skip. */
export async function collectSamples(
  policy: Pick<FrozenPolicy, "sample">,
  requests: readonly SampleRequest[],
  settings: SamplingSettings,
  options: { readonly signal?: AbortSignal } = {},
): Promise<readonly (readonly Completion[])[]> {
  const completionsByRequest: Completion[][] = requests.map(() => []);
  for await (const { requestIndex, sampleIndex, completion } of policy.sample(requests, settings, options)) {
    completionsByRequest[requestIndex]![sampleIndex] = completion;
  }
  // Skipped samples leave holes, which `filter` does not visit.
  return completionsByRequest.map((completions) => completions.filter(() => true));
}
