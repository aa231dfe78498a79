// The embedded engine's kernels. Everything works on one shared memory that the TypeScript side lays out; nothing
// here allocates or keeps state, so any number of threads can run them at once.
export { multiply, multiplyTransposed } from "./matmul";
export {
  attentionBackward, attentionBackwardScratch, attentionForward, attentionForwardScratch,
} from "./attention";
export { attentionDecode, cacheRows } from "./decode";
export {
  activate, activateBackward, gatherRows, normalise, normaliseBackward, rotate, scatterAddRows,
} from "./layers";
// Exported so that the compiler does not merge them into their callers: see `softmax-row.ts`.
export { exponentials, largest, scale, subtractAndScale } from "./softmax-row";
export { addGainGradient, addInputGradient, scaleByGain, sumOfSquares } from "./layers";
export { distribution, distributionBackward, temperedWeights } from "./vocabulary";
export { transposePanels } from "./panels";
export { adam, reduceGradients } from "./optimizer";
export { multiplyAddPeak } from "./peak";

export function copyBytes(target: usize, source: usize, bytes: usize): void {
  memory.copy(target, source, bytes);
}

export function zeroBytes(target: usize, bytes: usize): void {
  memory.fill(target, 0, bytes);
}
