/** Ctrl-C for commands that may be stopped at any moment: work is told to stop and cleans up after itself. */

export async function withInterruption<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const onSignal = () => controller.abort(new DOMException("interrupted", "AbortError"));
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  try {
    return await work(controller.signal);
  } catch (error) {
    // Whatever the interrupted work says on its way out, the reason is the interruption.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}
