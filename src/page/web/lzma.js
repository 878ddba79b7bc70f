// Unpacks LZMA (the .lzma format of `xz --format=lzma`): the program is half as large as with gzip, since models resemble each other at a
// distance that gzip does not look back. A range coder whose bits are predicted by what came before (Igor Pavlov's LZMA specification):
// literals, matches of a length at a distance, and the last four distances again.

function unpackLzma(packed, size) {
  let code = 0, range = 0xffffffff, at = 13;
  const properties = packed[0], contextBits = properties % 9, rest = Math.floor(properties / 9), literalPositionBits = rest % 5;
  const literalMask = (1 << literalPositionBits) - 1, stateMask = (1 << Math.floor(rest / 5)) - 1;
  const out = new Uint8Array(size);
  const half = (count) => new Uint16Array(count).fill(1024);
  for (let i = 0; i < 5; ++i) code = ((code << 8) | packed[at++]) >>> 0;

  const bit = (odds, i) => {
    const bound = (range >>> 11) * odds[i];
    let value;
    if (code < bound) {
      range = bound;
      odds[i] += (2048 - odds[i]) >>> 5;
      value = 0;
    } else {
      range = (range - bound) >>> 0;
      code = (code - bound) >>> 0;
      odds[i] -= odds[i] >>> 5;
      value = 1;
    }
    if (range < 0x1000000) {
      range = (range << 8) >>> 0;
      code = ((code << 8) | packed[at++]) >>> 0;
    }
    return value;
  };
  const plainBits = (count) => {
    let value = 0;
    for (let i = 0; i < count; ++i) {
      range >>>= 1;
      const isOne = code >= range ? 1 : 0;
      if (isOne) code = (code - range) >>> 0;
      value = (value << 1) | isOne;
      if (range < 0x1000000) {
        range = (range << 8) >>> 0;
        code = ((code << 8) | packed[at++]) >>> 0;
      }
    }
    return value >>> 0;
  };
  const tree = (odds, from, count) => {
    let node = 1;
    for (let i = 0; i < count; ++i) node = (node << 1) | bit(odds, from + node);
    return node - (1 << count);
  };
  const backwards = (odds, from, count) => {
    let node = 1, value = 0;
    for (let i = 0; i < count; ++i) {
      const b = bit(odds, from + node);
      node = (node << 1) | b;
      value |= b << i;
    }
    return value;
  };
  const lengths = () => ({ choice: half(2), low: half(16 << 3), middle: half(16 << 3), high: half(256) });
  const lengthOf = (odds, place) => (bit(odds.choice, 0) === 0 ? tree(odds.low, place << 3, 3)
    : bit(odds.choice, 1) === 0 ? 8 + tree(odds.middle, place << 3, 3) : 16 + tree(odds.high, 0, 8));

  const literals = half(0x300 << (contextBits + literalPositionBits)), isMatch = half(12 << 4), isRepeat = half(12), isRepeat0 = half(12);
  const isRepeat1 = half(12), isRepeat2 = half(12), isShort = half(12 << 4), slots = half(4 << 6), near = half(128), aligned = half(16);
  const matchLengths = lengths(), repeatLengths = lengths();
  let state = 0, d0 = 0, d1 = 0, d2 = 0, d3 = 0, to = 0;
  while (to < size) {
    const place = to & stateMask;
    if (bit(isMatch, (state << 4) + place) === 0) {
      const before = to > 0 ? out[to - 1] : 0;
      const base = 0x300 * (((to & literalMask) << contextBits) + (before >>> (8 - contextBits)));
      let symbol = 1;
      if (state >= 7) {  // after a match: the byte that would have gone on predicts this one
        let expected = out[to - d0 - 1];
        while (symbol < 0x100) {
          const wanted = (expected >>> 7) & 1, found = bit(literals, base + ((1 + wanted) << 8) + symbol);
          expected <<= 1;
          symbol = (symbol << 1) | found;
          if (wanted !== found) break;
        }
      }
      while (symbol < 0x100) symbol = (symbol << 1) | bit(literals, base + symbol);
      out[to++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let length;
    if (bit(isRepeat, state) === 0) {
      d3 = d2;
      d2 = d1;
      d1 = d0;
      length = lengthOf(matchLengths, place);
      state = state < 7 ? 7 : 10;
      const slot = tree(slots, Math.min(length, 3) << 6, 6);
      if (slot < 4) {
        d0 = slot;
      } else {
        const direct = (slot >>> 1) - 1;
        d0 = (2 | (slot & 1)) * 2 ** direct;
        if (slot < 14) d0 += backwards(near, d0 - slot, direct);
        else d0 += plainBits(direct - 4) * 16 + backwards(aligned, 0, 4);
        if (d0 === 0xffffffff) break;
      }
    } else {
      if (bit(isRepeat0, state) === 0) {
        if (bit(isShort, (state << 4) + place) === 0) {
          state = state < 7 ? 9 : 11;
          out[to] = out[to - d0 - 1];
          ++to;
          continue;
        }
      } else {
        let distance;
        if (bit(isRepeat1, state) === 0) {
          distance = d1;
        } else {
          if (bit(isRepeat2, state) === 0) {
            distance = d2;
          } else {
            distance = d3;
            d3 = d2;
          }
          d2 = d1;
        }
        d1 = d0;
        d0 = distance;
      }
      length = lengthOf(repeatLengths, place);
      state = state < 7 ? 8 : 11;
    }
    length += 2;
    if (d0 >= to || to + length > size) throw new Error("the program inside this page is damaged");
    for (let i = 0; i < length; ++i, ++to) out[to] = out[to - d0 - 1];
  }
  if (to !== size) throw new Error("the program inside this page is damaged");
  return out;
}
