import { describe, expect, it } from "vitest";
import { defaultLimits } from "../../sandbox/limits.ts";
import { allowanceBeside } from "./yardstick.ts";

describe("allowanceBeside", () => {
  const usual = { ...defaultLimits, caseCpuSeconds: 2, programCpuSeconds: 30 };

  it("is half a second for what the reference does at once", () => {
    const { limits, firstSeconds } = allowanceBeside(0.01, usual);
    expect(limits).toEqual({ ...usual, caseCpuSeconds: 0.5, programCpuSeconds: 5 });
    expect(firstSeconds).toBe(0.625);
  });

  it("grows with what the reference took", () => {
    const { limits, firstSeconds } = allowanceBeside(0.1, usual);
    expect(limits).toEqual({ ...usual, caseCpuSeconds: 1, programCpuSeconds: 5 });
    expect(firstSeconds).toBe(1.25);
    const slow = allowanceBeside(3, usual);
    expect(slow).toMatchObject({ limits: { ...usual, programCpuSeconds: 9 }, firstSeconds: 9 });
  });

  it("is never more than the limit, whatever the reference took", () => {
    expect(allowanceBeside(29, usual)).toMatchObject({ limits: usual, firstSeconds: 30 });
    const short = { ...usual, caseCpuSeconds: 0.1, programCpuSeconds: 1 };
    expect(allowanceBeside(0.001, short)).toMatchObject({ limits: short, firstSeconds: 0.125 });
  });

  it("is the limit if nothing is known of the reference", () => {
    const whole = { limits: usual, firstSeconds: 2.5 };
    expect(allowanceBeside(undefined, usual)).toEqual({ ...whole, afterHang: whole });
  });

  it("is less once a program has hung, but enough for what the reference does", () => {
    const quick = allowanceBeside(0.01, usual).afterHang;
    expect(quick.limits).toEqual({ ...usual, caseCpuSeconds: 0.1, programCpuSeconds: 5 });
    expect(quick.firstSeconds).toBe(0.125);
    const slow = allowanceBeside(1, usual).afterHang;
    expect(slow.limits.caseCpuSeconds).toBe(1);
    expect(slow.firstSeconds).toBe(3);
  });
});
