// The numbers of a page: columns unpacked when first needed, and the fewest points that still draw the same picture.

const unpacked = new Map();

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function column(id) {
  if (unpacked.has(id)) return unpacked.get(id);
  const element = document.getElementById("c" + id), { kind, n, from, step } = element.dataset;
  const start = Number(from), stride = Number(step);
  let values = new Float64Array(Number(n));
  if (kind === "grid") {
    for (let i = 0; i < values.length; ++i) values[i] = start + i * stride;
  } else if (kind === "i32") {
    const steps = new Int32Array(bytesOf(element.textContent).buffer), gap = -2147483648;
    for (let i = 0; i < values.length; ++i) values[i] = steps[i] === gap ? NaN : start + (steps[i] - gap) * stride;
  } else {
    values = new Float64Array(bytesOf(element.textContent).buffer);
  }
  element.textContent = "";  // the text is no longer needed
  unpacked.set(id, values);
  return values;
}

// index of the first value >= x in increasing values
function lowerBound(values, x) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < x) low = middle + 1; else high = middle;
  }
  return low;
}

function isIncreasing(values) {
  for (let i = 1; i < values.length; ++i) if (!(values[i] >= values[i - 1])) return false;
  return values.length > 0 && values[0] === values[0];
}

const blockSize = 256;
const blocksOf = new WeakMap();

// smallest and largest of every block, so that a million values are looked through once only
function blocks(values) {
  if (blocksOf.has(values)) return blocksOf.get(values);
  const count = Math.floor(values.length / blockSize);
  const low = new Float64Array(count), high = new Float64Array(count);
  for (let b = 0; b < count; ++b) {
    let l = Infinity, h = -Infinity;
    for (let i = b * blockSize; i < (b + 1) * blockSize; ++i) {
      const value = values[i];
      if (value < l && value !== -Infinity) l = value;
      if (value > h && value !== Infinity) h = value;
    }
    low[b] = l;
    high[b] = h;
  }
  const made = { low, high };
  blocksOf.set(values, made);
  return made;
}

const found = { low: 0, high: 0 };

// smallest and largest of values[from..to), in `found`; low > high if there is none
function extremes(values, from, to) {
  let low = Infinity, high = -Infinity, i = from;
  const { low: lows, high: highs } = blocks(values);
  while (i < to) {
    if (i % blockSize === 0 && i + blockSize <= to) {
      const b = i / blockSize;
      if (lows[b] < low) low = lows[b];
      if (highs[b] > high) high = highs[b];
      i += blockSize;
    } else {
      const value = values[i++];
      if (value < low && value !== -Infinity) low = value;
      if (value > high && value !== Infinity) high = value;
    }
  }
  found.low = low;
  found.high = high;
  return found;
}

// [first, past the last] index that a view from..to needs, with one neighbour on each side
function visibleRange(x, from, to) {
  return [Math.max(0, lowerBound(x, from) - 1), Math.min(x.length, lowerBound(x, to) + 2)];
}

// Per column of pixels the first, lowest, highest and last point: exact on screen, no peak is lost.
function thinned(series, range, scale, pixels) {
  const { x, y } = series, [begin, end] = range;
  const xs = [], ys = [];
  if (end - begin <= 4 * pixels) {
    for (let i = begin; i < end; ++i) { xs.push(x[i]); ys.push(y[i]); }
    return { xs, ys };
  }
  let i = begin;
  for (let pixel = 0; pixel <= pixels && i < end; ++pixel) {
    const stop = pixel === pixels ? end : Math.min(end, lowerBound(x, scale.back((pixel + 1) / pixels)));
    if (stop <= i) continue;
    const { low, high } = extremes(y, i, stop), at = x[i];
    if (low > high) {
      xs.push(at); ys.push(NaN);
    } else {
      xs.push(at, at, at, x[stop - 1]);
      const first = y[i], last = y[stop - 1];
      ys.push(first === first ? first : low, low, high, last === last ? last : high);
    }
    i = stop;
  }
  return { xs, ys };
}
