/**
 * Finds the fenced blocks of a reply, as CommonMark does: three or more backticks or tildes, closed by at least as
 * many, the opening's indentation taken off the content. Wider where models are sloppy:
 *
 * - an opening may follow text on its line (`Here it is: ```python`) or carry code after its tag (```` ```python def f(): ````);
 * - a closing may be glued to the last line of code (`    return x```` `), if there is no proper one;
 * - a new opening with a Python tag ends a block that was never closed;
 * - a block without an end reaches to the end of the reply.
 */

export interface FencedBlock {
  /** `python` for every way to write it, otherwise the tag in lower case; empty without one. */
  readonly tag: string;
  readonly code: string;
  readonly closed: boolean;
  /** Where the block, fences included, stands in the text. */
  readonly from: number;
  readonly to: number;
}

interface Opening {
  readonly from: number;
  readonly fence: string;
  readonly indentation: number;
  readonly tag: string;
  readonly lines: string[];
  /** The whole block stands on one line: ```` ```print(1)``` ````. */
  readonly oneLine: boolean;
}

// Every pattern here takes linear time, or looks at a few characters only: lines may be long and hostile.
const fenceLine = /^([ \t]*)(`{3,}|~{3,})(.*)$/s;
const longestInfo = 200;
const codeStart = /^(?:def|class|import|from|assert|async|print|for|while|if|with|try|@)\b|^@/;

export function findFences(text: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  let open: Opening | undefined;
  let from = 0;
  for (const rawLine of text.split("\n")) {
    const to = Math.min(from + rawLine.length + 1, text.length);
    const line = rawLine.endsWith("\r") ? rawLine.slice(0, -1) : rawLine;
    if (open && isClosing(line, open)) {
      blocks.push(finish(open, { closed: true, to }));
      open = undefined;
    } else {
      const opening = readOpening(line, { from, inside: open });
      if (opening && open) blocks.push(finish(open, { closed: false, to: from }));
      if (opening) open = opening;
      else open?.lines.push(line);
      if (opening?.oneLine) {
        blocks.push(finish(opening, { closed: true, to }));
        open = undefined;
      }
    }
    from = to;
  }
  if (open) blocks.push(finish(open, { closed: false, to: text.length }));
  return blocks;
}

/** The text around the blocks. */
export function outsideFences(text: string, blocks: readonly FencedBlock[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const block of blocks) {
    pieces.push(text.slice(from, block.from));
    from = block.to;
  }
  pieces.push(text.slice(from));
  return pieces.join("\n");
}

function isClosing(line: string, open: Opening): boolean {
  const match = fenceLine.exec(line);
  if (!match) return false;
  const fence = match[2]!;
  return fence[0] === open.fence[0] && fence.length >= open.fence.length && match[3]!.trim() === "";
}

function readOpening(
  line: string,
  where: { from: number; inside: Opening | undefined },
): Opening | undefined {
  const match = fenceLine.exec(line);
  const [indentation, fence, info] = match ? [match[1]!.length, match[2]!, match[3]!] : readTrailing(line);
  const read = fence === "" ? undefined : readInfo(info, fence);
  if (!read) return undefined;
  if (where.inside) {
    // Only what can hardly be content: the same kind of fence, as long, with a Python tag.
    const same = fence[0] === where.inside.fence[0] && fence.length >= where.inside.fence.length;
    if (!match || !same || read.tag !== "python" || read.code !== "") return undefined;
  } else if (!match && read.tag !== "python") return undefined;
  const oneLine = read.code.endsWith(fence);
  const firstLine = oneLine ? read.code.slice(0, -fence.length) : read.code;
  return {
    from: where.from,
    fence,
    indentation,
    tag: read.tag,
    lines: firstLine === "" ? [] : [firstLine],
    oneLine,
  };
}

/** `Here it is: ```python`: the fence and what follows it. */
function readTrailing(line: string): [indentation: number, fence: string, info: string] {
  const at = line.lastIndexOf("```");
  const info = line.slice(at + 3).trim();
  return at > 0 && /^\w{1,20}$/.test(info) ? [0, "```", info] : [0, "", ""];
}

/** The tag after a fence, and code that stands on the same line; undefined when it is no opening at all. */
function readInfo(info: string, fence: string): { tag: string; code: string } | undefined {
  const text = info.trim();
  const [word = ""] = text.slice(0, longestInfo).split(/\s/, 1);
  const tag = word
    .replace(/^\{?\.?/, "")
    .replace(/[},]$/, "")
    .toLowerCase();
  const isPython = /^(?:i?python|py)[\d.]*$/.test(tag);
  const code = codeStart.test(text) ? text : text.slice(word.length).trim();
  const hasCode = codeStart.test(code);
  // Backticks after backticks are code within a line of prose, unless they close a block written on one line.
  if (fence[0] === "`" && info.includes("`") && !(code.endsWith(fence) && (hasCode || isPython)))
    return undefined;
  if (hasCode && code === text) return { tag: "", code };
  return { tag: isPython ? "python" : tag, code: hasCode || code.endsWith(fence) ? code : "" };
}

function finish(open: Opening, end: { closed: boolean; to: number }): FencedBlock {
  const { lines } = open;
  const glued = end.closed ? -1 : lines.findIndex((line) => line.trimEnd().endsWith(open.fence));
  const kept =
    glued < 0 ? lines : [...lines.slice(0, glued), lines[glued]!.trimEnd().slice(0, -open.fence.length)];
  const code = kept.map((line) => withoutIndentation(line, open.indentation)).join("\n");
  return { tag: open.tag, code, closed: end.closed || glued >= 0, from: open.from, to: end.to };
}

function withoutIndentation(line: string, most: number): string {
  let taken = 0;
  while (taken < most && (line[taken] === " " || line[taken] === "\t")) taken += 1;
  return line.slice(taken);
}
