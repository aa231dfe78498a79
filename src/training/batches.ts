/**
 * Which problems a step works on. A pure function of seed and step: nothing has to be saved to continue, and a run
 * that was resumed sees the same data as one that was not. Each epoch is a new order; what does not fill a batch at
 * its end is dropped, as in the official code.
 */
import { hashText, seededRandom, shuffled } from "../problems/arena/random.ts";

export function batchOfStep(options: {
  problems: number;
  perStep: number;
  seed: number;
  step: number;
}): number[] {
  const { problems, perStep, seed, step } = options;
  const size = Math.min(perStep, problems);
  const stepsPerEpoch = Math.floor(problems / size);
  const epoch = Math.floor(step / stepsPerEpoch);
  const everything = Array.from({ length: problems }, (_, index) => index);
  const order = shuffled(seededRandom(streamSeed(seed, "order", epoch)), everything);
  const first = (step % stepsPerEpoch) * size;
  return order.slice(first, first + size);
}

/** A seed of its own for each purpose and number, from the run's seed. */
export function streamSeed(seed: number, purpose: string, number: number): number {
  return hashText(`${seed}/${purpose}/${number}`);
}
