import { expect, it } from "vitest";
import { isUnreadable } from "./is-unreadable.ts";
import type { Outcome } from "./outcome.ts";

const refused = (type: string, kind: "did-not-load" | "raised" = "did-not-load"): Outcome => ({
  kind,
  error: { type, message: "" },
});

it("is what no case can read, and nothing else", () => {
  expect(isUnreadable([refused("SyntaxError"), refused("SyntaxError")])).toBe(true);
  expect(isUnreadable([refused("IndentationError", "raised")])).toBe(true);
  expect(isUnreadable([refused("ImportError")])).toBe(false);
  expect(isUnreadable([refused("SyntaxError", "raised"), { kind: "passed", actual: "1" }])).toBe(false);
  expect(isUnreadable([])).toBe(false);
});
