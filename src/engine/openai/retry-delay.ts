/**
 * How long to wait before another try: doubling from half a second, at most half a minute, drawn between half and all
 * of that so that many waiting calls do not come back together. A server that says when to come back is believed, up
 * to a minute.
 */
const firstSeconds = 0.5;
const mostSeconds = 30;
const mostAskedSeconds = 60;

export function retryDelay(options: {
  /** 1 before the second try. */
  readonly retry: number;
  readonly retryAfterSeconds: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}): number {
  const backOff = Math.min(mostSeconds, firstSeconds * 2 ** (options.retry - 1));
  const drawn = backOff * (0.5 + options.random / 2);
  const asked = Math.min(mostAskedSeconds, options.retryAfterSeconds ?? 0);
  // A little beyond what was asked for: whoever comes back on the dot meets all the others.
  return asked > 0 ? asked + drawn * 0.1 : drawn;
}

/** `Retry-After` in seconds or as a date; undefined where it says nothing usable. */
export function retryAfterOf(header: string | undefined, nowMilliseconds: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - nowMilliseconds) / 1000);
}
