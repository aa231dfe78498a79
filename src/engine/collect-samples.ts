/** Waits for a whole call of `sample` and puts its completions back in order. */
import type { Completion, SampleRequest, SamplingSettings } from "./completion.ts";
import type { FrozenPolicy } from "./engine.ts";

/** One list for each request, one completion for each sample. */
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
  return completionsByRequest;
}
