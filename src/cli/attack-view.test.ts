import { describe, expect, it } from "vitest";
import { attackReport } from "../evaluation/attack/attack-report.ts";
import { compareAttacks } from "../evaluation/attack/compare-attacks.ts";
import type { Third } from "../evaluation/attack/difficulty-thirds.ts";
import type { RecordedPair, RecordHeader } from "../evaluation/attack/record-format.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import { comparisonText, percent, rankingText, reportText } from "./attack-view.ts";

const header: RecordHeader = {
  kind: "attack-evaluation",
  version: 1,
  model: "a \u001b[31mmodel",
  pairs: "pairs.jsonl",
  samples: 1,
  sampling: { temperature: 0, topP: 1, maxTokens: 64, seed: 1 },
  limits: defaultLimits,
  sandbox: { kind: "native", python: "3" },
};
const pairs = (attacks: number, of: number) =>
  Array.from({ length: of }, (_, index): RecordedPair => {
    const outcome = { kind: index < attacks ? ("raised" as const) : ("passed" as const) };
    const reached = index < attacks ? "attack" : "harmless";
    const replies = [{ text: "", stopReason: "end" as const, class: reached as "attack", outcome }];
    return { kind: "pair", id: `${index}`, problem: "p", key: "k", digest: "d", prompt: "p", replies };
  });
const report = (recorded: readonly RecordedPair[], split?: ReadonlyMap<string, Third>) =>
  attackReport({ pairs: recorded, correctPrograms: [], skipped: [] }, split);

it("percentages are rounded to two decimals, where published ones are cut off", () => {
  expect([337 / 911, 310 / 911, 64 / 304].map(percent)).toEqual(["36.99", "34.03", "21.05"]);
});

describe("reportText", () => {
  it("has one row for all pairs and one for each third", () => {
    const split = new Map<string, Third>(
      pairs(0, 911).map(({ id }) => [id, Number(id) < 303 ? "easy" : "hard"]),
    );
    const lines = reportText(header, report(pairs(337, 911), split)).split("\n");
    expect(lines[3]).toMatch(/^all +911 +100\.00 \(99\.58–100\.00\) +36\.99 \(33\.92–40\.18\)/);
    expect(lines[4]).toMatch(/^easy +303 +\S+ \S+ +100\.00/);
    expect(lines[5]).toMatch(/^medium +0 +– +– +– +–$/);
    expect(lines[6]).toMatch(/^hard +608 +\S+ \S+ +5\.59 /);
  });

  it("lets nothing act on the terminal", () => {
    expect(reportText(header, report(pairs(1, 2)))).not.toContain("\u001b[31mmodel");
  });

  it("tells what is missing", () => {
    const text = reportText(header, {
      ...report([]),
      unranked: 4,
      skipped: [{ kind: "skipped", id: "x", reason: "it is not wrong" }],
    });
    expect(text).toContain("false alarms  not measured");
    expect(text).toContain("x: it is not wrong");
    expect(text).toContain("4 pairs that the thirds do not know");
  });
});

describe("what the figures are not about", () => {
  const refused = Array.from({ length: 6 }, (_, index) => ({ row: index + 1, reason: `row ${index + 1}` }));
  const part = attackReport({
    pairs: [{ ...pairs(1, 1)[0]!, unchecked: "no-gold-tests" }],
    correctPrograms: [],
    skipped: [],
    asked: { kind: "asked", pairs: 300, correctPrograms: 1, refused },
    torn: true,
  });

  it("is told in the table", () => {
    const text = reportText(header, part);
    expect(text).toContain("unfinished: 1 of 300 pairs, 0 of 1 correct program");
    expect(text).toContain("torn: the last line of the record was cut off");
    expect(text).toMatch(/^unreadable {4}6 rows that cannot be read as pairs/m);
    expect(text).toContain("row 5\n");
    expect(text).not.toContain("row 6\n");
    expect(text).toMatch(/^unchecked {5}1 pair used without a check: 1 without gold tests$/m);
  });

  it("is told in a comparison, by record", () => {
    const comparison = compareAttacks([pairs(1, 1), pairs(1, 1)]);
    const text = comparisonText([header, header], comparison, [report(pairs(1, 1)), part]);
    expect(text).toContain("B  unfinished: 1 of 300 pairs");
    expect(text).toContain("B  unreadable: 6 rows");
    expect(text).not.toContain("A  unfinished");
    expect(text).toContain("1 pair in both");
  });
});

it("comparisonText names the test that was made", () => {
  const comparison = compareAttacks([pairs(8, 10), pairs(2, 10)]);
  expect(comparisonText([header, header], comparison)).toMatch(/Attack Rate, all .* 6 +0 +0\.0313 +0\.0156/);
  expect(comparisonText([header, header], comparison)).toContain("exact McNemar");
  expect(comparisonText([header, { ...header, samples: 8 }], comparison)).toContain("exact sign test");
});

it("rankingText tells where the cuts fall", () => {
  const ranked = (["easy", "medium", "hard"] as const).map((third, index) => ({
    id: third,
    rate: 1 - index / 2,
    third,
  }));
  const file = {
    kind: "difficulty-thirds" as const,
    version: 1 as const,
    model: "m",
    samples: 8,
    temperature: 1,
  };
  expect(rankingText("t.json", { ...file, pairs: ranked })).toBe(
    "3 pairs are ranked in t.json: easy 1, attacked 100.00 to 100.00 %; medium 1, attacked 50.00 to 50.00 %; hard 1, attacked 0.00 to 0.00 %",
  );
});
