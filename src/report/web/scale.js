// From numbers to places on an axis, and the ticks: the same rules as axis_scale.cpp, for every zoom.

function roundStep(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  for (const digit of [1, 2, 5]) if (digit * power >= step * (1 - 1e-9)) return digit * power;
  return 10 * power;
}

const titled = (label, unit) => (unit ? (label ? label + " " : "") + "[" + unit + "]" : label);

// forth and back between values and the line on which zooming and panning are plain sums
const straight = (axis) => (axis.log ? { to: Math.log10, from: (v) => 10 ** v } : { to: (v) => v, from: (v) => v });

function linearTicks(scale, axis, most) {
  const { from, to } = scale, range = to - from, largest = Math.max(Math.abs(from), Math.abs(to));
  const step = roundStep(range / Math.max(1, most));
  let offset = 0;
  if (range < 2e-4 * largest) {
    const coarse = 10 ** Math.ceil(Math.log10(range));
    offset = Math.round((from + range / 2) / coarse) * coarse;
  }
  const unit = unitFor(axis.units, offset === 0 ? largest : range);
  const exponent = Math.floor(Math.log10((offset === 0 ? largest : range) * unit.factor));
  const needsPower = exponent >= 5 || exponent < -3;
  const factor = unit.factor * (needsPower ? 10 ** -exponent : 1);
  const last = Math.floor((to - offset) / step + 1e-9);
  for (let i = Math.ceil((from - offset) / step - 1e-9); i <= last; ++i)
    scale.ticks.push({ at: offset + i * step, label: fixed(i * step * factor, step * factor) });
  let label = axis.label;
  if (offset !== 0) {
    const where = unitFor(axis.units, Math.abs(offset));
    label += (offset > 0 ? " − " : " + ") + significant(Math.abs(offset) * where.factor, 12) +
      (where.name ? " " + where.name : "");
  }
  const name = (needsPower ? "10" + superscript(exponent) + " " : "") + unit.name;
  scale.title = titled(label, name.trim());
}

function logarithmicTicks(scale, axis, most) {
  const first = Math.floor(Math.log10(scale.from)), last = Math.ceil(Math.log10(scale.to));
  const decades = Math.log10(scale.to / scale.from), every = Math.max(1, Math.ceil(decades / Math.max(1, most)));
  const few = decades < 1.5;
  for (let exponent = first; exponent <= last; ++exponent)
    for (let digit = 1; digit < 10; ++digit) {
      const at = digit * 10 ** exponent;
      if (at < scale.from * (1 - 1e-9) || at > scale.to * (1 + 1e-9)) continue;
      let label = "";
      if (few && (decades < 0.5 || digit === 1 || digit === 2 || digit === 5)) label = significant(at, 2);
      if (!few && digit === 1 && exponent % every === 0) label = "10" + superscript(exponent);
      if (label || every === 1) scale.ticks.push({ at, label });
    }
  scale.title = titled(axis.label, axis.units[0][2]);
}

// all places at once [px]: a million calls of place() would be felt
function placesOf(values, axis, low, factor) {
  const n = values.length, places = new Float32Array(n);
  if (axis.log) for (let i = 0; i < n; ++i) places[i] = (Math.log10(values[i]) - low) * factor;
  else for (let i = 0; i < n; ++i) places[i] = (values[i] - low) * factor;
  return places;
}

// place(v) is 0 at the low end, 1 at the high end; back() is its inverse
function makeScale(axis, from, to, most) {
  const line = straight(axis), low = line.to(from), length = line.to(to) - low;
  const scale = { from, to, ticks: [], title: "", axis, place: (v) => (line.to(v) - low) / length,
    back: (p) => line.from(low + p * length), places: (values, pixels) => placesOf(values, axis, low, pixels / length) };
  if (axis.log) logarithmicTicks(scale, axis, most); else linearTicks(scale, axis, most);
  return scale;
}

// a range that can be drawn, with some room around it
function widened(axis, low, high, margin) {
  if (!(low <= high)) return axis.log ? [0.1, 1] : [0, 1];
  if (axis.log) {
    if (high <= low * (1 + 1e-12)) return [low / 2, high * 2];
    const factor = (high / low) ** margin;
    return [low / factor, high * factor];
  }
  const largest = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= 1e-12 * largest || high === low) {
    const half = largest > 0 ? 0.1 * largest : 1;
    return [low - half, high + half];
  }
  return [low - margin * (high - low), high + margin * (high - low)];
}
