// Draws one panel on a canvas: grid, shaded times, regions, series, marks and labels.

const fontFamily = 'Inter, "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif';
const tickFont = "11px " + fontFamily, titleFont = "12px " + fontFamily;

function pageColours(root = document.documentElement) {
  const style = getComputedStyle(root), of = (name) => style.getPropertyValue("--" + name).trim();
  const colours = { paper: of("paper"), ink: of("ink"), soft: of("soft"), grid: of("grid"), frame: of("frame"), series: [] };
  for (let i = 0; i < 15; ++i) colours.series.push(of("s" + i));
  const light = parseInt(colours.paper.slice(1, 3), 16) > 127;
  colours.ramp = light ? [[43, 68, 176], [128, 58, 184], [200, 52, 120], [222, 96, 38], [196, 148, 0]]
    : [[122, 140, 255], [190, 118, 246], [246, 124, 172], [255, 164, 104], [255, 222, 90]];
  return colours;
}

// the colour of a part 0..1 of the way
function rampAt(ramp, part) {
  const place = Math.min(1, Math.max(0, part)) * (ramp.length - 1), i = Math.min(ramp.length - 2, Math.floor(place));
  return ramp[i].map((c, k) => Math.round(c + (ramp[i + 1][k] - c) * (place - i)));
}
const rampCss = (ramp, part) => "rgb(" + rampAt(ramp, part).join(",") + ")";

class Painter {
  // box: the plotted area [px]; pixels: device pixels per CSS pixel
  constructor(context, panel, box, colours, pixels) {
    Object.assign(this, { g: context, panel, box, colours, pixels, x: panel.xScale, y: panel.yScale });
  }
  right(value) { return this.box.left + this.far(this.x.place(value)) * this.box.width; }
  down(value) { return this.box.top + (1 - this.far(this.y.place(value))) * this.box.height; }
  far(part) {  // canvases dislike huge coordinates; what a logarithm cannot show is a gap
    return part === Infinity || part === -Infinity ? NaN : part > 1e4 ? 1e4 : part < -1e4 ? -1e4 : part;
  }

  paint() {
    const { g, box, panel } = this;
    this.grid();
    g.save();
    g.beginPath();
    g.rect(box.left, box.top, box.width, box.height);
    g.clip();
    g.lineJoin = g.lineCap = "round";
    for (const shade of panel.shades) if (!shade.hidden) this.shade(shade);
    for (const region of panel.regions) if (!region.hidden) this.region(region);
    for (const reference of panel.references) this.reference(reference);
    for (const series of panel.series) if (!series.hidden) this.series(series);
    for (const mark of panel.marks) this.mark(mark);
    new Labels(this).write();
    g.restore();
    g.strokeStyle = this.colours.frame;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(box.left, box.top);
    g.lineTo(box.left, box.top + box.height);
    g.lineTo(box.left + box.width, box.top + box.height);
    g.stroke();
    if (!panel.hasData) this.words("no data", box.left + box.width / 2, box.top + box.height / 2, "center", titleFont);
  }
  words(text, x, y, align, font) {
    const { g } = this;
    g.font = font;
    g.textAlign = align;
    g.textBaseline = "middle";
    g.fillStyle = this.colours.soft;
    g.fillText(text, x, y);
  }
  grid() {
    const { g, box, x, y } = this;
    for (const minor of [true, false]) {
      g.globalAlpha = minor ? 0.45 : 1;
      g.strokeStyle = this.colours.grid;
      g.lineWidth = 1;
      g.beginPath();
      for (const tick of x.ticks) if (!tick.label === minor) {
        const at = Math.round(this.right(tick.at)) + 0.5;
        g.moveTo(at, box.top);
        g.lineTo(at, box.top + box.height);
      }
      for (const tick of y.ticks) if (!tick.label === minor) {
        const at = Math.round(this.down(tick.at)) + 0.5;
        g.moveTo(box.left, at);
        g.lineTo(box.left + box.width, at);
      }
      g.stroke();
    }
    for (const tick of x.ticks) if (tick.label)
      this.words(tick.label, this.right(tick.at), box.top + box.height + 12, "center", tickFont);
    for (const tick of y.ticks) if (tick.label)
      this.words(tick.label, box.left - 7, this.down(tick.at), "right", tickFont);
    this.words(x.title, box.left + box.width / 2, box.top + box.height + 29, "center", titleFont);
  }
  shade(shade) {
    const { g, box } = this, { ends } = shade;
    g.fillStyle = this.colours.series[shade.colour];
    g.globalAlpha = 0.17;
    g.beginPath();
    let from = NaN, to = NaN;  // neighbours closer than half a pixel become one
    const close = () => { if (to >= from) g.rect(from, box.top, Math.max(0.5, to - from), box.height); };
    for (let i = 0; i < ends.length; i += 2) {
      const a = this.right(Math.min(ends[i], ends[i + 1])), b = this.right(Math.max(ends[i], ends[i + 1]));
      if (b < box.left || a > box.left + box.width) continue;
      if (a <= to + 0.5) { to = Math.max(to, b); continue; }
      close();
      from = a;
      to = b;
    }
    close();
    g.fill();
    g.globalAlpha = 1;
  }
  region(region) {
    const { g } = this;
    g.beginPath();
    region.x.forEach((x, i) => g.lineTo(this.right(x), this.down(region.y[i])));
    g.closePath();
    g.fillStyle = g.strokeStyle = this.colours.series[region.colour];
    g.lineWidth = 0.8;
    g.globalAlpha = 0.2;
    g.fill();
    g.globalAlpha = 0.45;
    g.stroke();
    g.globalAlpha = 1;
  }
  reference(reference) {
    const { g, box } = this;
    g.beginPath();
    if (reference.vertical) {
      g.moveTo(this.right(reference.at), box.top);
      g.lineTo(this.right(reference.at), box.top + box.height);
    } else {
      g.moveTo(box.left, this.down(reference.at));
      g.lineTo(box.left + box.width, this.down(reference.at));
    }
    g.strokeStyle = this.colours.soft;
    g.lineWidth = 1.2;
    g.setLineDash([2, 4]);
    g.stroke();
    g.setLineDash([]);
  }
  mark(mark) {
    const { g } = this;
    g.beginPath();
    g.arc(this.right(mark.x), this.down(mark.y), 4, 0, 7);
    g.fillStyle = this.colours.series[mark.colour];
    g.fill();
    g.strokeStyle = this.colours.paper;
    g.lineWidth = 1.5;
    g.stroke();
  }
  series(series) {
    const { g } = this;
    g.strokeStyle = g.fillStyle = this.colours.series[series.colour];
    g.lineWidth = series.width;
    g.setLineDash(series.dashed ? [6, 5] : []);
    const count = series.x.length;
    if (series.style === "cells") {
      this.cells(series);
    } else if (series.style === "points") {
      if (count > 20000 || series.tint) this.raster(series, true); else this.points(series);
    } else if (!series.increasing) {
      if (count > 40000) this.raster(series, false); else this.loop(series);
    } else {
      this.graph(series);
    }
    g.setLineDash([]);
  }
  cells(series) {
    const { g } = this, [left, right, bottom, top] = series.edges;
    const snap = (place) => Math.round(place * this.pixels) / this.pixels;  // neighbours share a whole pixel's edge: no seams
    for (let i = 0; i < left.length; ++i) {
      const a = snap(this.right(left[i])), b = snap(this.down(top[i]));
      const wide = snap(this.right(right[i])) - a, tall = snap(this.down(bottom[i])) - b;
      if (Number.isFinite(wide + tall)) g.fillRect(a, b, Math.max(wide, 1 / this.pixels), Math.max(tall, 1 / this.pixels));
    }
  }
  points(series) {
    const { g } = this, { x, y } = series;
    const radius = x.length < 200 ? 3 : 2;  // few must be seen, many must not merge
    for (let i = 0; i < x.length; ++i) this.dot(g, x[i], y[i], radius);
  }
  dot(g, x, y, radius) {
    const a = this.right(x), b = this.down(y);
    if (!Number.isFinite(a + b)) return;
    g.beginPath();
    g.arc(a, b, radius, 0, 7);
    g.fill();
  }
  // left to right
  graph(series) {
    const { g, box } = this;
    const range = visibleRange(series.x, this.x.from, this.x.to);
    const { xs, ys } = thinned(series, range, this.x, Math.round(box.width * Math.min(2, this.pixels)));
    const isStep = series.style === "steps" && xs.length === range[1] - range[0];
    const zero = series.style === "area" ? (this.y.axis.log ? box.top + box.height : this.down(0)) : null;
    const lonely = [];
    let started = false, first = 0, last = 0, before = 0, length = 0;
    const finish = () => {
      if (length === 1) lonely.push([last, before]);
      if (zero !== null && length > 1) {
        g.lineTo(last, zero);
        g.lineTo(first, zero);
        g.globalAlpha = 0.25;
        g.fill();
        g.globalAlpha = 1;
        g.beginPath();
      }
      started = false;
      length = 0;
    };
    if (zero !== null) this.graph({ ...series, style: "line" });
    g.beginPath();
    for (let i = 0; i < xs.length; ++i) {
      const a = this.right(xs[i]), b = this.down(ys[i]);
      if (!Number.isFinite(a + b)) { finish(); continue; }
      if (!started) { g.moveTo(a, b); first = a; } else {
        if (isStep) g.lineTo(a, before);
        g.lineTo(a, b);
      }
      started = true;
      last = a;
      before = b;
      ++length;
    }
    finish();
    if (zero === null) g.stroke();
    for (const [a, b] of lonely) { g.beginPath(); g.arc(a, b, 2.2, 0, 7); g.fill(); }
  }
  // any way, such as a hysteresis loop; tinted ones in up to 96 pieces of one colour each
  loop(series) {
    const { g } = this, { x, y } = series, n = x.length;
    const pieces = series.tint ? Math.min(96, n - 1) : 1;
    for (let piece = 0; piece < pieces; ++piece) {
      const from = Math.floor(piece * (n - 1) / pieces), to = Math.floor((piece + 1) * (n - 1) / pieces);
      if (series.tint) g.strokeStyle = rampCss(this.colours.ramp, series.tintAt((from + to) >> 1));
      g.beginPath();
      let down = false, lastA = 0, lastB = 0;
      for (let i = from; i <= to; ++i) {
        const a = this.right(x[i]), b = this.down(y[i]);
        if (!Number.isFinite(a + b)) { down = false; continue; }
        if (down && i < to && Math.abs(a - lastA) + Math.abs(b - lastB) < 0.3) continue;
        if (down) g.lineTo(a, b); else g.moveTo(a, b);
        down = true;
        lastA = a;
        lastB = b;
      }
      g.stroke();
    }
  }
  // Very many points: straight into pixels, which takes milliseconds where strokes take seconds.
  raster(series, asPoints) {
    const { g, box } = this, pixels = Math.max(2, this.pixels);  // finer than the screen: drawn smaller, edges are smooth
    const width = Math.round(box.width * pixels), height = Math.round(box.height * pixels);
    const image = new ImageData(width, height), dots = new Uint32Array(image.data.buffer);
    const size = Math.max(1, Math.round((asPoints ? 2.5 : Math.min(1.5, series.width)) * pixels));
    const across = this.x.places(series.x, width), down = this.y.places(series.y, height), n = across.length;
    const { colours, steps } = this.rasterColours(series), tint = series.tint;
    const low = tint ? series.tintEnds[0] : 0, perStep = tint ? steps / (series.tintEnds[1] - low || 1) : 0;
    let a0 = NaN, b0 = NaN, lastA = -1, lastB = -1;
    for (let i = 0; i < n; ++i) {
      const a = across[i], b = height - down[i];
      const colour = tint ? colours[(tint[i] - low) * perStep | 0] : colours[0];
      const roundA = Math.round(a), roundB = Math.round(b);
      if (asPoints || (roundA === lastA && roundB === lastB)) {
        if (asPoints) fillDot(dots, width, height, roundA, roundB, size, colour);
      } else if (Math.max(a, a0) >= 0 && Math.min(a, a0) < width && Math.max(b, b0) >= 0 && Math.min(b, b0) < height) {
        const long = Math.max(Math.abs(a - a0), Math.abs(b - b0), 1), count = Math.min(4 * (width + height), Math.ceil(long));
        const stepA = (a - a0) / count, stepB = (b - b0) / count;
        for (let s = 1; s <= count; ++s)
          fillDot(dots, width, height, Math.round(a0 + stepA * s), Math.round(b0 + stepB * s), size, colour);
      }
      a0 = a;
      b0 = b;
      lastA = roundA;
      lastB = roundB;
    }
    const sheet = document.createElement("canvas");
    sheet.width = width;
    sheet.height = height;
    sheet.getContext("2d").putImageData(image, 0, 0);
    g.imageSmoothingQuality = "low";
    g.drawImage(sheet, box.left, box.top, box.width, box.height);
  }
  rasterColours(series) {
    const pack = ([r, gr, b]) => (255 << 24 | b << 16 | gr << 8 | r) >>> 0;
    if (!series.tint) return { colours: [pack(cssNumbers(this.colours.series[series.colour]))], steps: 0 };
    return { colours: Array.from({ length: 257 }, (_, i) => pack(rampAt(this.colours.ramp, i / 256))), steps: 256 };
  }
}

function fillDot(dots, width, height, a, b, size, colour) {
  if (!(a >= 0 && b >= 0 && a + size <= width && b + size <= height)) return;
  for (let j = b * width, end = j + size * width; j < end; j += width)
    for (let i = j + a, stop = i + size; i < stop; ++i) dots[i] = colour;
}

const cssNumbers = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
