/**
 * Answers as lines of JSON (NDJSON), sent as they come. Stops when the reader leaves, whichever way that is noticed
 * first: the request's signal or the cancelled stream.
 */

export interface LineStreamOptions {
  readonly lines: AsyncGenerator<unknown>;
  /** Called once, whether the reader left or everything was sent. */
  readonly ended: () => void;
  /** A blank line after so many seconds without another, to show that the server is alive. */
  readonly heartbeatSeconds?: number;
}

export function lineStream(options: LineStreamOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let pending: Promise<IteratorResult<unknown>> | undefined;
  return new ReadableStream({
    async pull(controller) {
      pending ??= options.lines.next();
      const result = await orHeartbeat(pending, options.heartbeatSeconds);
      if (result === undefined) {
        controller.enqueue(encoder.encode("\n"));
        return;
      }
      pending = undefined;
      if (result.done) {
        options.ended();
        controller.close();
      } else controller.enqueue(encoder.encode(`${JSON.stringify(result.value)}\n`));
    },
    cancel() {
      options.ended();
    },
  });
}

async function orHeartbeat<Result>(
  result: Promise<Result>,
  seconds: number | undefined,
): Promise<Result | undefined> {
  if (seconds === undefined) return result;
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, seconds * 1000, undefined);
  });
  try {
    return await Promise.race([result, silence]);
  } finally {
    clearTimeout(timer);
  }
}
