import { describe, expect, it } from "vitest";
import { curve, renderPanel } from "./live-panel.ts";

describe("curve", () => {
  it("draws rewards from 0 to 1, leaves gaps, and folds long runs into its width", () => {
    expect(curve([0, 0.5, undefined, 1, 7, -1])).toBe("▁▅ ██▁");
    expect(curve(Array.from({ length: 400 }, (_, index) => index / 400))).toHaveLength(40);
    expect(curve([])).toBe("");
  });
});

describe("renderPanel", () => {
  it("shows progress, rewards and time left, and leaves out what a method does not have", () => {
    const history = [{ "code/reward/mean": 0.25, "time/step": 2, "sandbox/passed": 3 }];
    const text = renderPanel({ step: 5, steps: 10, history, heldOut: "", note: "saved" }).join("\n");
    expect(text).toContain("step 5 of 10");
    expect(text).toContain("2.0 s a step, 10 s left");
    expect(text).toContain("3 passed");
    expect(text).not.toContain("test reward");
  });
});
