import { describe, expect, it } from "vitest";
import { JournalReader, JournalWriter, newJournal } from "./journal.ts";

function newPair() {
  const journal = newJournal();
  const spilled: Uint8Array[] = [];
  const writer = new JournalWriter(journal, (bytes) => spilled.push(bytes));
  const reader = new JournalReader(journal);
  const all = () => Buffer.concat([...spilled, reader.remainder()]);
  return { writer, reader, spilled, all };
}

describe("the journal", () => {
  it("keeps what was added in order, spilling what does not fit", () => {
    const { writer, spilled, all } = newPair();
    const pieces = [10, 200_000, 100_000, 1_000_000, 5, 262_144, 1].map((length, index) =>
      Buffer.alloc(length, 65 + index),
    );
    for (const piece of pieces) writer.add(piece);
    expect(spilled.length).toBeGreaterThan(0);
    expect(all().equals(Buffer.concat(pieces))).toBe(true);
  });

  it("begins anew for the next program", () => {
    const { writer, reader } = newPair();
    writer.add(Buffer.from("old"));
    writer.setFrames(3);
    writer.setDenied(2);
    expect([reader.frames, reader.denied]).toEqual([3, 2]);
    writer.clear();
    writer.add(Buffer.from("new"));
    expect([reader.remainder().toString(), reader.frames, reader.denied]).toEqual(["new", 0, 0]);
  });

  it("carries the wish to stop, which also ends a sleep", () => {
    const { writer, reader } = newPair();
    expect(writer.cancelled).toBe(false);
    reader.setCancelled("yes");
    writer.sleep(60_000);
    expect(writer.cancelled).toBe(true);
    reader.setCancelled("no");
    expect(writer.cancelled).toBe(false);
  });
});
