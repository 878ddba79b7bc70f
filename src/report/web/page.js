// The page: figures are drawn when they come into sight; light and dark; saving; printing.

const plots = [];

function begin(element) {
  if (element.plot) return;
  element.plot = new Plot(element);
  plots.push(element.plot);
}

function save(name, blob) {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const saveSvg = async (plot) => save(plot.spec.name + ".svg", new Blob([await plot.drawing()], { type: "image/svg+xml" }));

// title, then each panel with its words and what it shows at the moment, twice as fine as the screen
function savePng(plot) {
  const columns = plot.columns, edge = 20, gap = 22, words = 22, colours = pageColours();
  const cell = plot.panels[0].size.width, width = columns * cell + (columns - 1) * gap + 2 * edge;
  const rows = Math.ceil(plot.panels.length / columns), heads = plot.panels.map((p) => (p.title ? 2 : 1) * words + legendRows(p, cell).length * 18);
  const tall = Array.from({ length: rows }, (_, r) => Math.max(...plot.panels.slice(r * columns, (r + 1) * columns)
    .map((p, i) => p.size.height + heads[r * columns + i])) + 12);
  const top = edge + (plot.spec.title ? 26 : 0) + (plot.spec.subtitle ? 20 : 0);
  const sheet = document.createElement("canvas"), size = { width, height: top + tall.reduce((a, b) => a + b, 0) + edge };
  const g = fitCanvas(sheet, size, 2);
  g.fillStyle = colours.paper;
  g.fillRect(0, 0, size.width, size.height);
  const write = (text, x, y, font, colour) => {
    Object.assign(g, { font: font + " " + fontFamily, fillStyle: colour, textAlign: "left", textBaseline: "alphabetic" });
    g.fillText(text, x, y);
  };
  write(plot.spec.title, edge, edge + 14, "bold 17px", colours.ink);
  write(plot.spec.subtitle, edge, edge + 36, "13px", colours.soft);
  let y = top;
  plot.panels.forEach((panel, i) => {
    const x = edge + (i % columns) * (cell + gap);
    let line = y + 14;
    if (panel.title) { write(panel.title, x, line, "bold 14px", colours.ink); line += words; }
    write(panel.yScale.title, x, line, "12px", colours.soft);
    for (const row of legendRows(panel, cell)) {
      line += 18;
      for (const [item, name, at] of row) {
        g.fillStyle = colours.series[item.colour];
        g.fillRect(x + at, line - 6, 16, 3);
        write(name, x + at + 21, line, "12px", colours.ink);
      }
    }
    const copy = document.createElement("canvas");
    paintOn(copy, panel, colours, 2);
    g.drawImage(copy, x, y + heads[i], panel.size.width, panel.size.height);
    if ((i + 1) % columns === 0) y += tall[Math.floor(i / columns)];
  });
  sheet.toBlob((blob) => save(plot.spec.name + ".png", blob));
}

function legendRows(panel, width) {
  const g = measuring(), rows = [];
  g.font = titleFont;
  let at = Infinity;
  for (const item of panel.legend ? panel.series.filter((s) => s.name && !s.hidden) : []) {
    const wide = g.measureText(item.name).width + 38;
    if (at + wide > width) { rows.push([]); at = 0; }
    rows[rows.length - 1].push([item, item.name, at]);
    at += wide;
  }
  return rows;
}

const redrawAll = () => { for (const plot of plots) plot.redraw(); };

function addThemeButton() {
  const root = document.documentElement, order = ["auto", "light", "dark"];
  const button = make("button", "theme", document.querySelector("header"));
  button.type = "button";
  const remember = (theme) => { try { localStorage.setItem("stickslip-theme", theme); } catch { /* a reader may forbid it */ } };
  const recall = () => { try { return localStorage.getItem("stickslip-theme"); } catch { return null; } };
  const show = (theme) => {
    if (theme === "auto") delete root.dataset.theme; else root.dataset.theme = theme;
    button.textContent = theme;
    button.setAttribute("aria-label", "colours: " + theme + "; change");
    redrawAll();
  };
  let now = order.includes(recall()) ? recall() : "auto";
  button.onclick = () => {
    now = order[(order.indexOf(now) + 1) % order.length];
    remember(now);
    show(now);
  };
  show(now);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
}

function start() {
  addThemeButton();
  const figures = [...document.querySelectorAll("figure.plot")];
  for (const element of figures) {
    const { panels, columns } = JSON.parse(element.querySelector("script").textContent);
    element.style.minHeight = Math.ceil(panels.length / columns) * 250 + "px";
  }
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) {
      seen.unobserve(entry.target);
      begin(entry.target);
    }
  }, { rootMargin: "400px" });
  for (const element of figures) seen.observe(element);
  // The others are drawn one by one while nothing else is to do: complete pictures of the page, quick scrolling.
  const whenIdle = window.requestIdleCallback ?? ((work) => setTimeout(work, 200));
  const rest = [...figures];
  const drawNext = () => {
    const next = rest.shift();
    if (!next) return;
    begin(next);
    whenIdle(drawNext);
  };
  whenIdle(drawNext);
  // A browser prints what is painted on a canvas only now and then; paper gets the figure as an SVG, all of it.
  const onPaper = () => {
    for (const element of document.querySelectorAll("details")) element.open = true;
    figures.forEach(begin);
    const light = (svg) => svg.replaceAll("@media(prefers-color-scheme:dark)", "@media not all"); // paper is light on every screen
    for (const plot of plots) if (!plot.paper) (plot.paper = make("div", "on-paper", plot.element)).innerHTML = light(plot.svg);
  };
  addEventListener("beforeprint", onPaper);
  matchMedia("print").addEventListener("change", (change) => { if (change.matches) onPaper(); });
  addEventListener("afterprint", redrawAll);
  window.stickslip = { plots, drawAll: () => figures.forEach(begin) };  // for tests and the curious
}
start();
