import { expect, it } from "vitest";
import { checkConfig } from "../training/load-config.ts";
import { arithmetic } from "./arithmetic.ts";

const attack = (atgen: object) => arithmetic(checkConfig({ method: { kind: "atgen" }, atgen }, "test"), 40);

it("names the first step whose tests may replace a program", () => {
  expect(attack({ startStep: 1 })).toContain("adversary 'sampling' from step 1 on");
  expect(attack({ startStep: 20 })).toContain("from step 20 on");
  expect(attack({ startStep: 0 })).toContain("from step 1 on");
});

it("counts one of a thing as one", () => {
  const text = arithmetic(checkConfig({ steps: 1, method: { kind: "golden" } }, "test"), 1);
  expect(text).toMatch(/^1 problem, 1 per step/);
  expect(text).toContain("1 step = 1.0 times");
});
