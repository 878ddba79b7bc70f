"""Figures of the page, beside the program's: python3 tests/browser/page_figures.py PROGRAM FOLDER [RECORDINGS].

Size; demo recording to report with seven models and with all; a CSV of 50 MB; updates behind a slider; and the recommendation for RECORDINGS
generated recordings (20), which must be the program's. scripts/page-figures calls it. Times are of this machine, as loaded as it is; so the
processor time of the browser and of the program stand beside them.
"""
import math
import os
import resource
import sys
import time

from browser import By, FOLDER, check
from the_page import PAGE, Page, identified_natively, need_page, recording

USUAL = ("coulomb-viscous", "stribeck", "dahl", "lugre", "elastoplastic", "NLR(4)", "generalized-maxwell-slip(4)")


def browser_seconds(page):
    """Processor time of all processes below the driver [s]."""
    children, ticks = {}, os.sysconf("SC_CLK_TCK")
    spent = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(name))
        spent[int(name)] = sum(map(int, fields[11:15])) / ticks
    waiting, total = [page.driver.service.process.pid], 0.0
    while waiting:
        process = waiting.pop()
        total += spent.get(process, 0.0)
        waiting += children.get(process, [])
    return total


def native_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def demo(page, models):
    content = recording("servo-axis", "--seed", "1", "first.csv")
    options = [word for model in models for word in ("--model", model)]
    before, start = native_seconds(), time.monotonic()
    theirs = identified_natively("first.csv", "--mass", "20 kg", *options)
    native_cpu, native_took = native_seconds() - before, time.monotonic() - start
    page.begin()
    before, start = browser_seconds(page), time.monotonic()
    page.read("first.csv", content)
    page.fill(mass="20 kg", models="own" if models else "all", own_models=", ".join(models))
    ours, _ = page.identify()
    page.wait("const inside = document.getElementById('report').contentDocument; return Boolean(inside && inside.querySelector('h1'))", 60)
    took, cpu = time.monotonic() - start, browser_seconds(page) - before
    print(f"demo, {len(models) or 'all'} models: {took:.1f} s, {cpu:.1f} s of processor; program {native_took:.1f} s, {native_cpu:.1f} s; "
          f"ratio of processor time {cpu / native_cpu:.2f}; {ours['found']['recommended']}, program {theirs['recommended']}", flush=True)
    mine = {m["label"]: m["validation"]["noe_percent"] for m in ours["found"]["models"]}
    other = {m["label"]: m["validation"]["noe_percent"] for m in theirs["models"]}
    check(mine.keys() == other.keys(), f"other models are fitted: {mine.keys() ^ other.keys()}")
    away = sorted((abs(mine[label] / other[label] - 1), label) for label in mine)
    print(f"  NOE on validation samples against the program: median {away[len(away) // 2][0]:.1e}, worst {away[-1][0]:.1e} ({away[-1][1]}); "
          f"{sum(a < 1e-3 for a, _ in away)} of {len(away)} within 1e-3", flush=True)


def large_file(page):
    path = os.path.join(FOLDER, "large.csv")
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("time [s],position [m],velocity [m/s],force [N]\n")
            i = 0
            while file.tell() < 50e6 if i % 1000 == 0 else True:
                t = i * 1e-4
                file.write(f"{t:.4f},{0.1 * math.sin(t):.9f},{0.1 * math.cos(t):.9f},{5 * math.copysign(1, math.cos(t)) + math.sin(37 * i):.6f}\n")
                i += 1
    page.begin()
    page.script("""window.gaps = []; let last = performance.now();
      const beat = () => { const now = performance.now(); gaps.push(now - last); last = now; setTimeout(beat, 4); }; beat();""")
    start = time.monotonic()
    page.driver.find_element(By.ID, "file").send_keys(path)
    page.wait("return !document.getElementById('recording').hidden || !document.getElementById('failure').hidden", 300)
    took = time.monotonic() - start
    worst = page.script("return Math.max(...gaps)")
    line = page.script("return document.getElementById('recording-line').textContent + document.getElementById('failure').textContent")
    print(f"CSV of {os.path.getsize(path) / 1e6:.0f} MB: read in {took:.1f} s, the page was never busy for more than {worst:.0f} ms: {line}", flush=True)


def slider(page):
    page.begin("#tab=simulate")
    page.wait("return stickslip.live && stickslip.live.updates > 0", 60)
    for name in ("as many as there are frames", "again"):
        before = browser_seconds(page)
        rate = page.driver.execute_async_script("""
          const done = arguments[0], slider = document.querySelector("#sliders input[type=range]"), begin = performance.now(), from = stickslip.live.updates;
          let frames = 0;
          const step = () => {
            slider.value = -0.2 + 0.4 * Math.abs(Math.sin(++frames / 20));
            slider.dispatchEvent(new Event("input"));
            if (performance.now() - begin < 5000) requestAnimationFrame(step); else done([(stickslip.live.updates - from) / 5, frames / 5]);
          };
          requestAnimationFrame(step);""")
        said = page.script("return document.getElementById('live-line').textContent")
        draw = page.script("return stickslip.plots[0].drawMs")
        spent = 1e3 * (browser_seconds(page) - before) / max(1.0, 5 * rate[0])
        print(f"slider, {name}: {rate[0]:.0f} updates a second at {rate[1]:.0f} frames; {said}; drawn in {draw:.1f} ms; the whole browser spends "
              f"{spent:.1f} ms of processor on an update", flush=True)


MACHINES = (("servo-axis",), ("presliding",), ("gms", "--duration", "4 s"))  # some 10 000 samples each


def same_recommendation(page, count):
    same = 0
    for i in range(count):
        (machine, *shorter), seed = MACHINES[i % len(MACHINES)], 100 + i
        name = f"{machine}-{seed}.csv"
        content = recording(machine, *shorter, "--seed", str(seed), name)
        options = [word for model in USUAL for word in ("--model", model)]
        mass = {"servo-axis": "20 kg"}.get(machine, "")
        theirs = identified_natively(name, *(["--mass", mass] if mass else []), *options)
        page.begin()
        refusal, _ = page.read(name, content)
        check(not refusal, f"{name}: {refusal}")
        page.fill(mass=mass, models="own", own_models=", ".join(USUAL))
        ours, _ = page.identify()
        is_same = ours["found"]["recommended"] == theirs["recommended"]
        same += is_same
        print(f"{name}: {ours['found']['recommended']}" + ("" if is_same else f", but the program says {theirs['recommended']}"), flush=True)
    print(f"{same} of {count} recordings: the recommendation of the program", flush=True)
    return same == count


if __name__ == "__main__":
    need_page()
    print(f"size of the page: {os.path.getsize(PAGE) / 1e6:.2f} MB")
    with Page() as page:
        slider(page)
        large_file(page)
        page.stays_quiet("sliders and a large file")
        demo(page, USUAL)
        demo(page, ())
        is_same = same_recommendation(page, int(sys.argv[3]) if len(sys.argv) > 3 else 20)
        page.stays_quiet("all of this")
    sys.exit(0 if is_same else 1)
