/**
 * A double as Python's `repr` writes it. JavaScript finds the same shortest digits but sets the point differently
 * (`1e21` against `1e+21`, `10000000000000000` against `1e+16`). nan and the infinities have no literal and are
 * written as the call that makes them.
 */
export function pythonFloatText(value: number): string {
  if (Number.isNaN(value)) return "float('nan')";
  if (!Number.isFinite(value)) return value > 0 ? "float('inf')" : "float('-inf')";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [mantissa, exponentText] = Math.abs(value).toExponential().split("e") as [string, string];
  const digits = mantissa.replace(".", "");
  const sign = value < 0 ? "-" : "";
  return sign + placePoint(digits, Number(exponentText));
}

/** `digits` is d₁d₂…, the value is d₁.d₂… × 10^exponent. */
function placePoint(digits: string, exponent: number): string {
  if (exponent < -4 || exponent >= 16) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    const magnitude = String(Math.abs(exponent)).padStart(2, "0");
    return `${digits[0]}${fraction}e${exponent < 0 ? "-" : "+"}${magnitude}`;
  }
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${whole}.${digits.slice(exponent + 1) || "0"}`;
}
