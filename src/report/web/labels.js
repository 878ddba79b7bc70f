// Names of marks and reference lines, placed where they cover neither each other nor, if it can be helped, the edge.

class Labels {
  constructor(painter) {
    Object.assign(this, { painter, box: painter.box, taken: [], height: 14 });
    painter.g.font = tickFont;
  }
  write() {
    const { panel } = this.painter;
    const dots = panel.marks.map((mark) => [this.painter.right(mark.x), this.painter.down(mark.y)]);
    for (const [a, b] of dots) this.taken.push([a - 5, b - 5, 10, 10]);
    panel.marks.forEach((mark, i) => { if (mark.label && this.isInside(...dots[i])) this.place(mark.label, this.around(mark.label, ...dots[i])); });
    for (const reference of panel.references) if (reference.label) this.place(reference.label, this.along(reference));
  }
  isInside(a, b) {
    const { left, top, width, height } = this.box;
    return a >= left && a <= left + width && b >= top && b <= top + height;
  }
  width(text) { return this.painter.g.measureText(text).width; }
  around(text, a, b) {
    const w = this.width(text), h = this.height, corners = [];
    for (const away of [0, 10, 24])
      corners.push([a + 8 + away, b - h - 4 - away], [a - w - 8 - away, b - h - 4 - away], [a + 8 + away, b + 4 + away],
        [a - w - 8 - away, b + 4 + away], [a - w / 2, b - h - 8 - away], [a - w / 2, b + 8 + away]);
    return corners;
  }
  along({ label, at, vertical }) {
    const { left, top, width, height } = this.box, w = this.width(label), h = this.height, corners = [];
    if (vertical) {
      const a = this.painter.right(at);
      if (a < left || a > left + width) return [];
      for (let b = top + 3; b + h < top + height; b += h) corners.push([a + 4, b], [a - w - 4, b]);
    } else {
      const b = this.painter.down(at);
      if (b < top || b > top + height) return [];
      for (const part of [1, 0, 0.75, 0.5, 0.25])
        corners.push([left + 4 + part * (width - w - 8), b - h - 2], [left + 4 + part * (width - w - 8), b + 2]);
    }
    return corners;
  }
  trouble([a, b], w) {
    const h = this.height, { left, top, width, height } = this.box;
    let sum = a < left + 1 || b < top + 1 || a + w > left + width - 1 || b + h > top + height - 1 ? 1000 : 0;
    for (const [x, y, wide, high] of this.taken) {
      const across = Math.min(a + w, x + wide) - Math.max(a, x), over = Math.min(b + h, y + high) - Math.max(b, y);
      if (across > 0 && over > 0) sum += 100 + across * over;
    }
    return sum;
  }
  place(text, corners) {
    if (!corners.length) return;
    const { g, colours } = this.painter, w = this.width(text);
    let best = corners[0], least = this.trouble(best, w);
    for (const corner of corners) {
      const trouble = this.trouble(corner, w);
      if (trouble < least - 1e-9) { best = corner; least = trouble; }
    }
    this.taken.push([best[0], best[1], w, this.height]);
    g.font = tickFont;
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.lineWidth = 4;
    g.strokeStyle = colours.paper;
    g.strokeText(text, best[0], best[1] + this.height / 2);
    g.fillStyle = colours.ink;
    g.fillText(text, best[0], best[1] + this.height / 2);
  }
}
