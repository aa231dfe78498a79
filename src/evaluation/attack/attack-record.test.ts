import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatDialect } from "../../prompts/dialect.ts";
import { defaultLimits } from "../../sandbox/limits.ts";
import { doubling, doublingFunction } from "../court.test.support.ts";
import { attackFigures } from "./attack-figures.ts";
import { AttackRecord } from "./attack-record.ts";
import { attackReport } from "./attack-report.ts";
import type { EvaluatedPair } from "./evaluate-attack.ts";
import { alarmFigures } from "./false-alarms.ts";
import { type RecordHeader, recordPair, recordProgram } from "./record-format.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-record-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const header: RecordHeader = {
  kind: "attack-evaluation",
  version: 1,
  model: "some model",
  pairs: "pairs.jsonl",
  samples: 1,
  sampling: { temperature: 0, topP: 1, maxTokens: 64, seed: 1 },
  limits: defaultLimits,
  sandbox: { kind: "native", python: "3.12.1" },
};
const reply = { text: "<think>ü\n</think>", stopReason: "end" } as const;
const call = { args: [{ type: "float", value: Number.NaN }] as const, keywords: {} };
const pairs: EvaluatedPair[] = [
  {
    kind: "pair",
    pair: { id: "a", problem: doubling, buggy: "print(1)" },
    replies: [
      {
        ...reply,
        judged: {
          kind: "judged",
          reached: "attack",
          testCase: { style: "stdio", input: "2\n", expected: "4\n" },
          outcome: { kind: "wrong-answer", actual: "1\n" },
        },
      },
      { ...reply, judged: { kind: "judged", reached: "format-wrong", reason: "no JSON" } },
    ],
  },
  {
    kind: "pair",
    pair: { id: "b", problem: doublingFunction, buggy: "def double(x): return x" },
    replies: [
      {
        ...reply,
        judged: {
          kind: "judged",
          reached: "answer-wrong",
          testCase: { style: "function", call, expected: { type: "int", value: 2n ** 70n } },
          outcome: { kind: "raised", error: { type: "ValueError", message: "", line: 3 } },
        },
      },
      { ...reply, judged: { kind: "masked", message: "lost" } },
    ],
  },
];
const program = { problem: doubling, source: doubling.reference, origin: "reference" } as const;
const alarm = {
  kind: "correct-program" as const,
  program,
  replies: [{ ...reply, judged: { kind: "judged" as const, reached: "false-alarm" as const } }],
};

const fileNamed = (name: string) => path.join(folder, name);

function fill(record: AttackRecord): AttackRecord {
  for (const pair of pairs) record.add(recordPair(pair, chatDialect));
  record.add(recordProgram(alarm, chatDialect));
  record.add({ kind: "skipped", id: "c", reason: "not wrong" });
  return record;
}

describe("AttackRecord", () => {
  it("holds everything that the figures are made from", () => {
    const file = fileNamed("full.jsonl");
    fill(AttackRecord.open(file, header)).close();
    const record = AttackRecord.read(file);
    expect(record.header).toEqual(header);
    const { pairs: read, correctPrograms, skipped } = record;
    const report = attackReport({ pairs: read, correctPrograms, skipped });
    expect(report.overall).toEqual(attackFigures(pairs));
    expect(report.alarms).toEqual(alarmFigures([{ ...program, replies: alarm.replies }]));
    expect(report.skipped).toEqual([{ kind: "skipped", id: "c", reason: "not wrong" }]);
    expect(report).toEqual(attackReport(fill(AttackRecord.inMemory(header))));
  });

  it("goes on where it was left, without the line that a crash cut off", () => {
    const file = fileNamed("resumed.jsonl");
    const first = AttackRecord.open(file, header);
    first.add(recordPair(pairs[0]!, chatDialect));
    first.close();
    const whole = readFileSync(file, "utf8");
    appendFileSync(file, '{"kind":"pair","id":"b","repl');
    const second = AttackRecord.open(file, header);
    expect(second.pair("a")).toMatchObject({ kind: "pair", id: "a" });
    expect(second.pair("b")).toBeUndefined();
    second.add(recordPair(pairs[1]!, chatDialect));
    second.close();
    expect(readFileSync(file, "utf8").startsWith(whole)).toBe(true);
    expect(AttackRecord.read(file).pairs.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("believes the later of two lines about a pair", () => {
    const file = fileNamed("twice.jsonl");
    const record = AttackRecord.open(file, header);
    record.add({ kind: "skipped", id: "a", reason: "no" });
    record.add(recordPair(pairs[0]!, chatDialect));
    record.close();
    const read = AttackRecord.read(file);
    expect(read.skipped).toEqual([]);
    expect(read.pairs.length).toBe(1);
  });

  it("keeps the most that was ever asked for, and writes it only where it is new", () => {
    const file = fileNamed("asked.jsonl");
    const refused = [{ row: 7, reason: "no pair" }];
    const record = AttackRecord.open(file, header);
    record.ask({ pairs: 300, refused });
    record.ask({ pairs: 300, correctPrograms: 90, refused });
    const before = readFileSync(file, "utf8");
    record.ask({ pairs: 300, refused });
    record.ask({ pairs: 10, correctPrograms: 4, refused: [] });
    expect(readFileSync(file, "utf8")).toBe(before);
    record.close();
    const again = AttackRecord.open(file, header);
    again.ask({ pairs: 300, correctPrograms: 90, refused });
    again.close();
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(AttackRecord.read(file).asked).toEqual({
      kind: "asked",
      pairs: 300,
      correctPrograms: 90,
      refused,
    });
  });

  it("tells a part from the whole", () => {
    const file = fileNamed("part.jsonl");
    const record = AttackRecord.open(file, header);
    record.ask({ pairs: 5, correctPrograms: 2, refused: [] });
    fill(record).close();
    appendFileSync(file, '{"kind":"pair","id":"d","repl');
    expect(attackReport(AttackRecord.read(file))).toMatchObject({
      unfinished: { pairs: { done: 3, asked: 5 }, correctPrograms: { done: 1, asked: 2 } },
      torn: true,
    });
    const old = fileNamed("old.jsonl");
    fill(AttackRecord.open(old, header)).close();
    const report = attackReport(AttackRecord.read(old));
    expect(report).toMatchObject({ refused: [], unchecked: {}, torn: false });
    expect(report).not.toHaveProperty("unfinished");
  });

  it("writes nothing after it is closed", () => {
    const file = fileNamed("closed.jsonl");
    const record = AttackRecord.open(file, header);
    record.close();
    const before = readFileSync(file, "utf8");
    record.add(recordPair(pairs[0]!, chatDialect));
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it.each([
    [{ model: "another" }, 'its model is different (model was "some model", is now "another")'],
    [{ samples: 8, sampling: { ...header.sampling, temperature: 1 } }, "its samples, sampling are different"],
    [{ sandbox: { kind: "wasm", python: "3.12.1" } }, "its sandbox is different"],
    [{ witnesses: 1 }, "its witnesses is different"],
  ])("does not mix two evaluations (%#)", (changed, message) => {
    const file = fileNamed("other.jsonl");
    AttackRecord.open(file, header).close();
    expect(() => AttackRecord.open(file, { ...header, ...changed })).toThrow(message);
    AttackRecord.open(file, header).close();
  });

  it("refuses to go on with a setting left out", () => {
    const file = path.join(folder, "witnessed.jsonl");
    AttackRecord.open(file, { ...header, witnesses: 1 }).close();
    expect(() => AttackRecord.open(file, header)).toThrow("its witnesses is different (witnesses was 1");
  });

  it("says which line is damaged", () => {
    const file = fileNamed("damaged.jsonl");
    fill(AttackRecord.open(file, header)).close();
    const lines = readFileSync(file, "utf8").split("\n");
    lines[2] = lines[2]!.replace('"class":"answer-wrong"', '"class":"excellent"');
    writeFileSync(file, lines.join("\n"));
    expect(() => AttackRecord.read(file)).toThrow(
      `${file}, line 3: not a line of an attack evaluation's record`,
    );
  });

  it.each(["", "{}\n", '{"kind":"attack-evaluation"}\n', "not JSON\n", "\u0000\n"])(
    "takes no other file for a record (%j)",
    (content) => {
      const file = fileNamed("foreign.jsonl");
      writeFileSync(file, content);
      expect(() => AttackRecord.read(file)).toThrow("is not the record of an attack evaluation");
    },
  );
});
