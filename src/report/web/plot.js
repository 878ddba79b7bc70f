// A figure on the page: panels with legends, what each shows at the moment, and who moves together with whom.

const make = (name, css, parent, text) => {
  const element = document.createElement(name);
  if (css) element.className = css;
  if (text) element.textContent = text;
  if (parent) parent.append(element);
  return element;
};

function finiteExtent(values, log, extent = [Infinity, -Infinity]) {
  let [low, high] = extent;
  if (!log && values instanceof Float64Array) {  // looked through once, remembered in blocks
    const ends = extremes(values, 0, values.length);
    low = Math.min(low, ends.low);
    high = Math.max(high, ends.high);
  } else {
    for (let i = 0; i < values.length; ++i) {
      const value = values[i];
      if (!Number.isFinite(value) || (log && value <= 0)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  extent[0] = low;
  extent[1] = high;
  return extent;
}

// The stretch of x that some panels show together; `full` is everything.
class Group {
  constructor(key, axis, full) {
    Object.assign(this, { key, axis, full, view: null, plots: new Set() });
  }
  get shown() { return this.view || this.full; }
  // panels over nearly the same stretch of the same quantity move together
  takes(key, [low, high]) {
    if (key !== this.key) return false;
    const both = Math.max(high, this.full[1]) - Math.min(low, this.full[0]);
    return Math.min(high - low, this.full[1] - this.full[0]) >= 0.8 * both;
  }
  show(from, to) {
    const line = straight(this.axis), low = line.to(this.full[0]), high = line.to(this.full[1]);
    let a = line.to(from), length = line.to(to) - a;
    const least = Math.max(1e-12 * Math.max(Math.abs(a), Math.abs(a + length)), 1e-9 * (high - low));
    if (!(length >= least)) return;
    a = Math.min(Math.max(a, low), high - Math.min(length, high - low));
    length = Math.min(length, high - low);
    this.view = length > (high - low) * (1 - 1e-9) ? null : [line.from(a), line.from(a + length)];
    for (const plot of this.plots) plot.redraw();
  }
  reset() {
    this.view = null;
    for (const plot of this.plots) plot.redraw();
  }
}
const linkedGroups = [];

function readySeries(series) {
  const x = column(series.x), y = column(series.y);
  const ready = { ...series, x, y, increasing: series.tint === undefined && isIncreasing(x), hidden: false };
  if (series.edges) {
    ready.edges = series.edges.map(column);
    ready.increasing = false;
  }
  if (series.tint !== undefined) {
    const tint = ready.tint = column(series.tint), [low, high] = finiteExtent(tint, false);
    ready.tintAt = (i) => (tint[i] - low) / (high - low || 1);
    ready.tintEnds = [low, high];
  }
  return ready;
}

class PanelView {
  constructor(spec, plot) {
    Object.assign(this, spec, { plot, yView: null });
    this.series = spec.series.map(readySeries);
    this.isFree = this.series.some((s) => !s.increasing && s.x.length > 0) || !this.series.length;  // zooms both ways
    const [low, high] = this.xExtent();
    const margin = this.series.some((s) => s.edges) ? 0 : this.isFree || this.regions.length || this.series.some((s) => s.style === "points") ? 0.03 : 0;
    const wide = widened(this.x, low, high, margin);
    this.xFull = [this.x.from ?? wide[0], this.x.to ?? wide[1]];
    this.hasData = low <= high;
    if (this.isFree) {
      const ends = this.yExtentOfAll();
      const tall = widened(this.y, ends[0], ends[1], this.series.some((s) => s.edges) ? 0 : 0.06);
      this.yFull = [this.y.from ?? tall[0], this.y.to ?? tall[1]];
    }
    this.hiddenByLog = this.countHidden();
  }
  xExtent() {
    const extent = [Infinity, -Infinity], log = this.x.log;
    for (const s of this.series) for (const values of s.edges ? s.edges.slice(0, 2) : [s.x]) finiteExtent(values, log, extent);
    for (const region of this.regions) finiteExtent(region.x, log, extent);
    finiteExtent(this.marks.map((m) => m.x), log, extent);
    return finiteExtent(this.references.filter((r) => r.vertical).map((r) => r.at), log, extent);
  }
  yExtentOfAll() {
    const extent = [Infinity, -Infinity];
    for (const s of this.series) if (!s.hidden) {
      for (const values of s.edges ? s.edges.slice(2) : [s.y]) finiteExtent(values, this.y.log, extent);
      if (s.style === "area" && s.y.length) finiteExtent([0], this.y.log, extent);
    }
    return this.withNotes(extent);
  }
  withNotes(extent) {
    for (const region of this.regions) finiteExtent(region.y, this.y.log, extent);
    finiteExtent(this.marks.map((m) => m.y), this.y.log, extent);
    return finiteExtent(this.references.filter((r) => !r.vertical).map((r) => r.at), this.y.log, extent);
  }
  // what a logarithmic axis cannot show
  countHidden() {
    if (!this.y.log) return 0;
    let count = 0;
    for (const s of this.series) for (const value of s.y) if (value <= 0) ++count;
    return count;
  }
  // the range of y for the x shown: all of it at first, then what is in sight
  yShown() {
    if (this.isFree) return this.yView || this.yFull;
    const isWhole = !this.group.view, [from, to] = this.group.shown;
    let extent = [Infinity, -Infinity];
    if (isWhole) {
      extent = this.yExtentOfAll();
    } else {
      for (const s of this.series) if (!s.hidden) this.addVisible(s, from, to, extent);
      if (!(extent[0] <= extent[1])) this.withNotes(extent);
    }
    const [low, high] = widened(this.y, extent[0], extent[1], 0.06);
    return isWhole ? [this.y.from ?? low, this.y.to ?? high] : [low, high];
  }
  addVisible(s, from, to, extent) {
    const begin = lowerBound(s.x, from), end = lowerBound(s.x, to), isLog = this.y.log;
    if (isLog) finiteExtent(s.y.subarray(begin, end), true, extent);
    else {
      const { low, high } = extremes(s.y, begin, end);
      finiteExtent([low, high], false, extent);
    }
    for (const edge of [from, to]) {  // where the line enters and leaves
      const i = lowerBound(s.x, edge);
      if (i === 0 || i >= s.x.length) continue;
      const part = (edge - s.x[i - 1]) / (s.x[i] - s.x[i - 1] || 1);
      finiteExtent([s.style === "steps" ? s.y[i - 1] : s.y[i - 1] + part * (s.y[i] - s.y[i - 1])], isLog, extent);
    }
    if (s.style === "area") finiteExtent([0], isLog, extent);
  }
}

class Plot {
  constructor(element) {
    const spec = JSON.parse(element.querySelector("script").textContent);
    Object.assign(this, { element, spec, groups: [], drawMs: 0 });
    this.svg = element.querySelector("noscript").textContent;
    this.panels = spec.panels.map((panel) => new PanelView(panel, this));
    for (const panel of this.panels) this.join(panel);
    this.build();
    for (const panel of this.panels) attachHands(this, panel);
    new ResizeObserver(() => this.redraw()).observe(this.grid);
    this.draw();
  }
  // as SVG, the whole of it
  drawing() { return this.svg; }
  join(panel) {
    const key = panel.x.link ? "link " + panel.x.link : [panel.x.label, panel.x.units[0][2], panel.x.log].join("|");
    const groups = panel.x.link ? linkedGroups : this.groups;
    let group = panel.isFree ? null : groups.find((g) => g.takes(key, panel.xFull));
    if (group) {
      group.full = [Math.min(group.full[0], panel.xFull[0]), Math.max(group.full[1], panel.xFull[1])];
    } else {
      group = new Group(panel.isFree ? "" : key, panel.x, panel.xFull);
      groups.push(group);
    }
    group.plots.add(this);
    panel.group = group;
  }
  build() {
    const head = make("div", "head", this.element);
    const caption = make("figcaption", "", head, this.spec.title);
    if (this.spec.subtitle) make("small", "", caption, this.spec.subtitle);
    const tools = make("div", "tools", head);
    for (const [name, title, act] of [["Reset", "reset the view (0 or double click)", () => this.reset()],
      ["PNG", "save the current view as PNG", () => savePng(this)], ["SVG", "save the whole figure as SVG", () => saveSvg(this)]]) {
      const button = make("button", "", tools, name);
      button.type = "button";
      button.title = title;
      button.onclick = act;
    }
    this.grid = make("div", "panels", this.element);
    this.grid.style.setProperty("--columns", this.spec.columns);
    this.panels.forEach((panel, i) => this.buildPanel(panel, i));
    this.element.style.minHeight = "0";
  }
  buildPanel(panel, number) {
    const root = make("section", "panel", this.grid);
    if (panel.title && !(this.panels.length === 1 && panel.title === this.spec.title)) make("h4", "", root, panel.title);
    const over = make("div", "over", root);
    panel.yTitle = make("span", "ytitle", over);
    panel.legendBox = make("span", "legend", over);
    this.buildLegend(panel);
    panel.stage = make("div", "stage", root);
    panel.canvas = make("canvas", "", panel.stage);
    panel.overlay = make("canvas", "over-ink", panel.stage);
    panel.tip = make("div", "tip", panel.stage);
    panel.tip.hidden = true;
    panel.overlay.tabIndex = 0;
    panel.overlay.setAttribute("role", "img");
    const names = panel.series.map((s) => s.name).filter(Boolean);
    panel.overlay.setAttribute("aria-label", (panel.title || this.spec.title || "figure " + (number + 1)) + ": " +
      panel.y.label + " over " + panel.x.label + (names.length ? "; " + names.join(", ") : "") +
      ". Arrow keys pan, plus and minus zoom, 0 resets the view, Shift with arrows reads values.");
  }
  buildLegend(panel) {
    panel.tintedSwatches = [];
    if (!panel.legend) return;
    const entries = [...panel.series.filter((s) => s.name).map((s) => [s, s.name, s.style === "area" ? "patch" : s.style === "cells" ? "patch solid" : s.style === "points" ? "points" : s.dashed ? "dashed" : ""]),
      ...panel.regions.filter((r) => r.label).map((r) => [r, r.label, "patch"]),
      ...panel.shades.filter((s) => s.label && s.ends.length).map((s) => [s, s.label, "patch"])];
    const repeats = entries.length === 1 && (entries[0][1] === panel.y.label || entries[0][1] === panel.title);
    for (const [item, name, kind] of repeats ? [] : entries) {
      const button = make("button", "", panel.legendBox);
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      button.title = "hide or show";
      const swatch = make("span", "swatch " + kind, button);
      if (item.tint) panel.tintedSwatches.push(swatch);
      else swatch.style.color = swatch.style.borderTopColor = "var(--s" + item.colour + ")";
      make("span", "", button, name);
      button.onclick = () => {
        item.hidden = !item.hidden;
        button.setAttribute("aria-pressed", String(!item.hidden));
        this.redraw();
      };
    }
    const tinted = panel.series.find((s) => s.tint);
    if (!tinted) return;
    const entry = make("span", "entry", panel.legendBox), [low, high] = tinted.tintEnds, range = high - low;
    make("span", "", entry, panel.tint.label + " " + readOut(low, panel.tint, range * 100));
    panel.rampBar = make("span", "ramp", entry);
    make("span", "", entry, readOut(high, panel.tint, range * 100));
  }
  reset() {
    for (const panel of this.panels) panel.yView = null;
    for (const panel of this.panels) panel.group.reset();
  }
  redraw() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => { this.asked = 0; this.draw(); });
  }
  get columns() { return getComputedStyle(this.grid).gridTemplateColumns.split(" ").length; }
  plotHeight(width, columns) {
    const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
    if (columns > 1) return clamp(0.62 * width, 150, 420);
    if (this.panels.length === 1 || this.spec.columns > 1) return clamp(0.46 * width, 200, 420);
    return this.panels.length === 2 ? 220 : 170;
  }
  // Scales first, then room for their labels, then everything is drawn.
  draw() {
    const start = performance.now(), columns = this.columns, g = measuring();
    const cell = this.grid.clientWidth / columns - (columns > 1 ? 22 * (columns - 1) / columns : 0);
    if (!(cell > 0)) return;
    const height = this.plotHeight(cell, columns);
    const left = [], right = [];
    this.panels.forEach((panel, i) => {
      const [low, high] = panel.yShown();
      panel.yScale = readableScale(panel.y, low, high, Math.max(2, Math.floor(height / 32)));
      panel.xScale = fittingScale(panel.x, panel.group.shown, cell - 60, g);
      const c = i % columns;
      left[c] = Math.max(left[c] || 0, 10 + widest(panel.yScale, g));
      right[c] = Math.max(right[c] || 8, widest(panel.xScale, g) / 2);
    });
    const colours = pageColours();
    this.panels.forEach((panel, i) => {
      const next = this.panels[i + 1], isFollowed = columns === 1 && next && next.group === panel.group;
      if (isFollowed) panel.xScale.title = "";
      panel.box = { left: left[i % columns], top: 7, width: cell - left[i % columns] - right[i % columns], height };
      panel.size = { width: cell, height: height + 7 + (panel.xScale.title ? 38 : 22) };
      panel.yTitle.textContent = panel.yScale.title + (panel.hiddenByLog ? " (" + panel.hiddenByLog + " values ≤ 0 not shown)" : "");
      const ramp = "linear-gradient(90deg," + [0, 0.25, 0.5, 0.75, 1].map((p) => rampCss(colours.ramp, p)).join(",") + ")";
      if (panel.rampBar) panel.rampBar.style.background = ramp;
      // A series that is coloured by time has these colours in the legend, too.
      for (const swatch of panel.tintedSwatches)
        if (swatch.classList.contains("points")) swatch.style.background = ramp;
        else swatch.style.borderImage = ramp + " 1";
      panel.stage.style.height = panel.size.height + "px";
      paintOn(panel.canvas, panel, colours, Math.max(1, devicePixelRatio));
      fitCanvas(panel.overlay, panel.size, Math.max(1, devicePixelRatio));
    });
    this.drawMs = performance.now() - start;
  }
}

let measureContext = null;
function measuring() {
  measureContext = measureContext || document.createElement("canvas").getContext("2d");
  measureContext.font = tickFont;
  return measureContext;
}
const widest = (scale, g) => Math.max(0, ...scale.ticks.map((tick) => (tick.label ? g.measureText(tick.label).width : 0)));

// a single number beside an axis does not say how long it is
function readableScale(axis, low, high, most) {
  const labels = (scale) => scale.ticks.filter((tick) => tick.label).length;
  let scale = makeScale(axis, low, high, most);
  for (let more = most + 1; labels(scale) < 2 && more <= most + 3; ++more) scale = makeScale(axis, low, high, more);
  return scale;
}

// with as many ticks as its labels leave room for
function fittingScale(axis, [from, to], width, g) {
  for (let most = Math.max(2, Math.floor(width / 74)); most >= 1; --most) {
    const scale = readableScale(axis, from, to, most);
    if (scale.ticks.filter((tick) => tick.label).length * (widest(scale, g) + 12) <= width) return scale;
  }
  return makeScale(axis, from, to, 1);
}

function fitCanvas(canvas, size, pixels) {
  const width = Math.round(size.width * pixels), height = Math.round(size.height * pixels);
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const g = canvas.getContext("2d");
  g.setTransform(pixels, 0, 0, pixels, 0, 0);
  g.clearRect(0, 0, size.width, size.height);
  return g;
}

function paintOn(canvas, panel, colours, pixels) {
  new Painter(fitCanvas(canvas, panel.size, pixels), panel, panel.box, colours, pixels).paint();
}
