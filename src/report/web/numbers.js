// Numbers as people read them, in the unit the size asks for.

// units: [[smallest magnitude, factor, "mm"], ...], smallest first
function unitFor(units, magnitude) {
  let best = units[0];
  for (const unit of units) if (magnitude >= unit[0] * (1 - 1e-12)) best = unit;
  return { factor: best[1], name: best[2] };
}

const raised = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const superscript = (number) => [...String(number)].map((digit) => raised[digit]).join("");
const withMinus = (text) => text.replace(/^-(?=0(\.0*)?$)/, "").replace("-", "−");

// with the decimals its step needs, so that all labels of an axis have the same
function fixed(number, step) {
  const decimals = Math.min(15, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return withMinus(number.toFixed(decimals));
}

function significant(value, digits) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e6) return withMinus(String(Number(value.toPrecision(digits))));
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  return withMinus(String(Number(mantissa))) + "·10" + superscript(Number(exponent));
}

// a value beside an axis that shows `range`: as fine as the eye can tell there
function readOut(value, axis, range) {
  if (!Number.isFinite(value)) return "–";
  const unit = unitFor(axis.units, Math.abs(value));
  const step = axis.log || !(range > 0) ? 0 : range / 5000;
  const size = Math.abs(value);
  const digits = step > 0 && size > 0 ? Math.min(12, Math.max(3, Math.ceil(Math.log10(size / step)) + 1)) : 5;
  return significant(size < step / 10 ? 0 : value * unit.factor, digits) + (unit.name ? " " + unit.name : "");
}
