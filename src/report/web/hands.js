// Mouse, touch and keys on a panel: drag to zoom, Shift and drag (or two fingers) to move, wheel, arrows, read-out.

const leastDrag = 5;  // [px]; less is a click

function attachHands(plot, panel) {
  const surface = panel.overlay, touches = new Map();
  let drag = null, pinch = null, cursor = 0.5;

  const part = (event) => {
    const { left, top, width, height } = panel.box, edge = surface.getBoundingClientRect();
    return [(event.clientX - edge.left - left) / width, 1 - (event.clientY - edge.top - top) / height];
  };
  const clamp = (p) => Math.min(1, Math.max(0, p));
  const showX = (a, b) => panel.group.show(panel.xScale.back(a), panel.xScale.back(b));
  const showY = (a, b) => {
    if (!panel.isFree) return;
    const low = panel.yScale.back(a), high = panel.yScale.back(b);
    const isWhole = low <= panel.yFull[0] && high >= panel.yFull[1];
    if (high - low > 1e-12 * Math.max(Math.abs(low), Math.abs(high))) panel.yView = isWhole ? null : [low, high];
    plot.redraw();
  };
  // by a factor below 1 closer, around a place that stays where it is
  const zoom = (factor, [a, b]) => {
    showY(b - b * factor, b + (1 - b) * factor);
    showX(a - a * factor, a + (1 - a) * factor);
  };
  const move = (a, b) => {
    if (panel.isFree && panel.yView) showY(b, 1 + b);
    showX(a, 1 + a);
  };
  const readAt = (x, y) => {
    hoverX = panel.xScale.back(x);
    for (const other of plot.panels) {
      const isHere = other === panel;
      if (isHere || (other.group === panel.group && !other.isFree)) showTip(other, hoverX, isHere ? [x, y] : null);
      else hideTip(other);
    }
  };
  let hoverX = 0;
  const leave = () => { for (const other of plot.panels) hideTip(other); };

  surface.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch") {
      touches.set(event.pointerId, part(event));
      pinch = touches.size === 2 ? [...touches.values()] : null;
      drag = touches.size === 1 ? { from: part(event), last: part(event), isMove: true } : null;
      if (drag) readAt(...drag.from);
      return;
    }
    if (event.button > 1) return;
    surface.setPointerCapture(event.pointerId);
    drag = { from: part(event), last: part(event), isMove: event.shiftKey || event.button === 1 };
  });
  surface.addEventListener("pointermove", (event) => {
    const at = part(event);
    if (event.pointerType === "touch") {
      if (!touches.has(event.pointerId)) return;
      touches.set(event.pointerId, at);
      if (pinch) {
        const now = [...touches.values()], spread = (p) => Math.max(0.02, Math.abs(p[0][0] - p[1][0]));
        const middle = (p) => [(p[0][0] + p[1][0]) / 2, (p[0][1] + p[1][1]) / 2];
        zoom(spread(pinch) / spread(now), middle(now));
        pinch = now;
        return;
      }
    }
    if (!drag) { readAt(clamp(at[0]), at[1]); return; }
    if (drag.isMove) {
      if (panel.group.view || panel.yView) move(drag.last[0] - at[0], drag.last[1] - at[1]);
      else readAt(clamp(at[0]), at[1]);
      drag.last = at;
    } else {
      leave();
      drag.to = at;
      showSelection(panel, drag.from.map(clamp), at.map(clamp));
    }
  });
  const release = (event) => {
    touches.delete(event.pointerId);
    if (touches.size < 2) pinch = null;
    const done = drag;
    drag = null;
    if (!done || done.isMove || !done.to || event.type === "pointercancel") return;
    clearOverlay(panel);
    const [x0, x1] = [done.from[0], done.to[0]].map(clamp).sort((a, b) => a - b);
    const [y0, y1] = [done.from[1], done.to[1]].map(clamp).sort((a, b) => a - b);
    if (panel.isFree && (y1 - y0) * panel.box.height > leastDrag) showY(y0, y1);
    if ((x1 - x0) * panel.box.width > leastDrag) showX(x0, x1);
  };
  surface.addEventListener("pointerup", release);
  surface.addEventListener("pointercancel", release);
  surface.addEventListener("pointerleave", leave);
  surface.addEventListener("dblclick", () => plot.reset());
  surface.addEventListener("wheel", (event) => {
    // The page scrolls until a plot is chosen by a click, so that nobody gets stuck on it.
    if (document.activeElement !== surface && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(1.0015 ** event.deltaY, part(event).map(clamp));
  }, { passive: false });
  surface.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      ArrowLeft: () => move(-0.1, 0), ArrowRight: () => move(0.1, 0), ArrowUp: () => move(0, 0.1), ArrowDown: () => move(0, -0.1),
      "+": () => zoom(0.7, [0.5, 0.5]), "=": () => zoom(0.7, [0.5, 0.5]), "-": () => zoom(1 / 0.7, [0.5, 0.5]),
      0: () => plot.reset(), Escape: () => { plot.reset(); leave(); },
    };
    if (event.shiftKey && event.key.startsWith("Arrow")) {
      cursor = clamp(cursor + ({ ArrowLeft: -0.01, ArrowRight: 0.01 }[event.key] || 0));
      readAt(cursor, 0.5);
    } else if (!keys[event.key] || (!panel.isFree && /Up|Down/.test(event.key))) {
      return;
    } else {
      leave();
      keys[event.key]();
    }
    event.preventDefault();
  });
  surface.addEventListener("blur", leave);
}

function overlayContext(panel) { return fitCanvas(panel.overlay, panel.size, Math.max(1, devicePixelRatio)); }
function clearOverlay(panel) { overlayContext(panel); }

function showSelection(panel, [x0, y0], [x1, y1]) {
  const g = overlayContext(panel), { left, top, width, height } = panel.box, colours = pageColours();
  g.fillStyle = colours.series[0];
  g.globalAlpha = 0.18;
  const low = panel.isFree ? Math.min(1 - y0, 1 - y1) : 0, tall = panel.isFree ? Math.abs(y1 - y0) : 1;
  g.fillRect(left + Math.min(x0, x1) * width, top + low * height, Math.abs(x1 - x0) * width, tall * height);
}

function hideTip(panel) {
  if (panel.tip.hidden) return;
  panel.tip.hidden = true;
  clearOverlay(panel);
}

// the sample nearest in x (left to right), or nearest to the pointer (loops and clouds)
function nearest(panel, s, x, pointer) {
  const { width, height } = panel.box;
  if (s.increasing) {
    let i = lowerBound(s.x, x);
    if (s.style === "steps") i = s.x[i] === x ? i : i - 1;
    else if (i > 0 && (i === s.x.length || panel.xScale.place(x) - panel.xScale.place(s.x[i - 1]) < panel.xScale.place(s.x[i]) - panel.xScale.place(x))) --i;
    if (i < 0 || i >= s.x.length) return -1;
    return s.style !== "steps" && Math.abs(panel.xScale.place(s.x[i]) - panel.xScale.place(x)) * width > 60 ? -1 : i;
  }
  if (!pointer) return -1;
  let best = -1, least = 30 * 30;
  const across = panel.xScale.places(s.x, width), up = panel.yScale.places(s.y, height);
  for (let i = 0; i < across.length; ++i) {
    const a = across[i] - pointer[0] * width, b = up[i] - pointer[1] * height;
    if (a * a + b * b < least) { least = a * a + b * b; best = i; }
  }
  return best;
}

function showTip(panel, x, pointer) {
  const g = overlayContext(panel), colours = pageColours(), { left, top, width, height } = panel.box;
  const painter = new Painter(g, panel, panel.box, colours, 1), rows = [];
  const xRange = panel.xScale.to - panel.xScale.from, yRange = panel.yScale.to - panel.yScale.from;
  let shownX = x;
  for (const s of panel.series) {
    if (s.hidden || rows.length >= 12) continue;
    const i = nearest(panel, s, x, pointer);
    if (i < 0) continue;
    shownX = s.increasing ? x : s.x[i];
    let text = readOut(s.y[i], panel.y, yRange);
    if (!s.increasing) text = readOut(s.x[i], panel.x, xRange) + ", " + text;
    if (s.tint) text += " at " + readOut(s.tint[i], panel.tint, s.tintEnds[1] - s.tintEnds[0]);
    const colour = s.tint ? rampCss(colours.ramp, s.tintAt(i)) : colours.series[s.colour];
    rows.push([s, text, colour]);
    g.fillStyle = colour;
    const a = painter.right(s.style === "steps" ? x : s.x[i]), b = painter.down(s.y[i]);
    if (!(a >= left - 1 && a <= left + width + 1 && b >= top - 1 && b <= top + height + 1)) continue;
    g.beginPath();
    g.arc(a, b, 4.5, 0, 7);
    g.fill();
    g.lineWidth = 1.5;
    g.strokeStyle = colours.ink;
    g.stroke();
  }
  const place = painter.right(x);
  if (!panel.isFree) {
    g.strokeStyle = colours.soft;
    g.lineWidth = 1;
    g.setLineDash([3, 3]);
    g.beginPath();
    g.moveTo(place, top);
    g.lineTo(place, top + height);
    g.stroke();
    g.setLineDash([]);
  }
  fillTip(panel, rows, panel.isFree ? "" : panel.x.label + " " + readOut(shownX, panel.x, xRange));
  const isLeft = place > left + width / 2;
  panel.tip.style.left = isLeft ? left + 8 + "px" : "auto";
  panel.tip.style.right = isLeft ? "auto" : panel.size.width - left - width + 8 + "px";
}

function fillTip(panel, rows, head) {
  panel.tip.replaceChildren();
  if (head) make("div", "", panel.tip, head);
  for (const [s, text, colour] of rows) {
    const row = make("div", "", panel.tip), swatch = make("span", "swatch " + (s.style === "points" ? "points" : s.dashed ? "dashed" : ""), row);
    swatch.style.color = swatch.style.borderTopColor = colour;
    make("span", "", row, (s.name || panel.y.label) + " ");
    make("span", "", row, text);
  }
  panel.tip.hidden = !rows.length && !head;
}
