import { expect, it } from "vitest";
import { counted } from "./counted.ts";

it("counted has the noun agree with the number", () => {
  expect([0, 1, 2].map((count) => counted(count, "pair"))).toEqual(["0 pairs", "1 pair", "2 pairs"]);
  expect(counted(2, "reply", "replies")).toBe("2 replies");
});
