"""A report of a million samples: how long it takes to open and to zoom, measured and bounded.

Aims on a quiet machine: open below 2 s, zoom below 100 ms. The bounds here are wider, since tests share the machine.
"""
import os

from browser import Browser, FOLDER, SOURCE, check, stickslip

OPEN_BOUND, ZOOM_BOUND = 10, 0.6  # [s]

with open(os.path.join(SOURCE, "examples", "stick_slip.toml")) as file:
    lines = [line for line in file if not line.startswith("sample_interval")]
with open(os.path.join(FOLDER, "million.toml"), "w") as file:
    for line in lines:
        file.write(line)
        if line.startswith("[run]"):
            file.write('sample_interval = "30 us"\n')
stickslip("simulate", "million.toml", "--no-files", "--report", "million.html")

with Browser() as browser:
    browser.dress(1400, "light")
    opened = browser.open("million.html")
    samples = browser.script("return stickslip.plots[0].panels[0].series[0].x.length")
    check(samples >= 1_000_000, f"the report has {samples} samples")
    inside = browser.script("return performance.getEntriesByType('navigation')[0].loadEventEnd / 1000")
    zooms = browser.script("""
      stickslip.drawAll();
      const times = [];
      for (const plot of stickslip.plots) {
        const group = plot.panels[0].group, [a, b] = group.full;
        for (const part of [0.5, 0.2, 0.05, 0.01, 0.001]) {
          group.show(a + 0.3 * (b - a), a + (0.3 + part) * (b - a));
          plot.draw();
          times.push(plot.drawMs / 1000);
        }
      }
      return times""")
    browser.stays_quiet("million.html")

size = os.path.getsize(os.path.join(FOLDER, "million.html")) / 1e6
print(f"{samples} samples, {size:.1f} MB: opened and drawn in {opened:.2f} s ({inside:.2f} s of it loading), "
      f"zoomed in {1000 * max(zooms):.0f} ms at most, {1000 * sorted(zooms)[len(zooms) // 2]:.0f} ms in the middle")
check(opened < OPEN_BOUND, f"opening took {opened:.2f} s")
check(max(zooms) < ZOOM_BOUND, f"zooming took {max(zooms):.3f} s")
