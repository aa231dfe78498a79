/**
 * Servers speak the protocol with accents: some take no seed, some only one sample a call, some call the length limit
 * by another name. What a server turned down is not sent to it again.
 *
 * Only fields that change nothing for the caller are ever dropped: samples can be asked for one by one, stop strings
 * are cut off by us, a seed is a wish; temperature and top_p only where they are 1, which is what the protocol assumes.
 */
import type { ChatBody } from "./chat-request.ts";

export type OptionalField = "n" | "seed" | "stop" | "temperature" | "top_p";

export interface ServerHabits {
  readonly dropped: ReadonlySet<OptionalField>;
  readonly lengthField: "max_tokens" | "max_completion_tokens";
}

export const defaultHabits: ServerHabits = { dropped: new Set(), lengthField: "max_tokens" };

export function withoutField(habits: ServerHabits, ...fields: readonly OptionalField[]): ServerHabits {
  return { ...habits, dropped: new Set([...habits.dropped, ...fields]) };
}

/** What to send instead, judging by the complaint; undefined where it names nothing that could be left out. */
export function adaptedHabits(
  habits: ServerHabits,
  { sent, complaint }: { readonly sent: ChatBody; readonly complaint: string },
): ServerHabits | undefined {
  if ("max_tokens" in sent && wantsOtherLength.test(complaint)) {
    return { ...habits, lengthField: "max_completion_tokens" };
  }
  const named = droppable(sent).filter((field) => complaintAbout[field].test(complaint));
  return named.length > 0 ? withoutField(habits, ...named) : undefined;
}

/** Everything left out that can be, for complaints that name nothing; undefined if nothing is left to leave out. */
export function plainestHabits(habits: ServerHabits, sent: ChatBody): ServerHabits | undefined {
  const fields = droppable(sent);
  return fields.length > 0 ? withoutField(habits, ...fields) : undefined;
}

function droppable(sent: ChatBody): OptionalField[] {
  const fields: OptionalField[] = [];
  if (sent.n !== undefined) fields.push("n");
  if (sent.seed !== undefined) fields.push("seed");
  if (sent.stop !== undefined) fields.push("stop");
  if (sent.temperature === 1) fields.push("temperature");
  if (sent.top_p === 1) fields.push("top_p");
  return fields;
}

const wantsOtherLength =
  /max_completion_tokens.*(instead|required)|(unsupported|not supported).*max_completion_tokens/is;

/** A name in quotes, or one that no sentence contains by chance. */
const complaintAbout: Record<OptionalField, RegExp> = {
  n: /["'`]n["'`]|\bn (must|is|should|parameter|>)|\bn[=>]|\bone (completion )?choice|multiple (choices|completions)/i,
  seed: /\bseed\b/i,
  stop: /["'`]stop["'`]|\bstop (parameter|sequences?|strings?)\b/i,
  temperature: /\btemperature\b/i,
  top_p: /\btop_p\b/i,
};
