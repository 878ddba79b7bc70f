"""The page in a real browser: a recording dropped on it becomes the program's report, with nothing sent and nothing said."""
import base64
import io
import json
import math
import os
import re
import shutil
import struct
import sys
import types
import zipfile

from browser import (ActionChains, By, FOLDER, Keys, SOURCE, WIDTHS, THEMES, check)
from the_page import PAGE, Page, columns_of, identified_natively, native, need_page, recording

MODELS = ("coulomb-viscous", "stribeck", "lugre", "NLR(4)")
FORCE_BOUND = 1e-6  # of the rms force: what the recommended model predicts
NOE_BOUND = 1e-3    # relative: how far two fits that stop at the same place differ


def identifies_as_the_program(page):
    content = recording("servo-axis", "--seed", "1", "first.csv")
    options = [word for model in MODELS for word in ("--model", model)]
    theirs = identified_natively("first.csv", "--mass", "20 kg", *options, "--csv", "native.csv")
    page.begin()
    refusal, notes = page.read("first.csv", content)
    check(not refusal, f"the recording was refused: {refusal}")
    roles = page.script("return [...document.querySelectorAll('#columns tbody tr')].map((r) => r.cells[0].textContent)")
    check(roles[:3] == ["time", "position", "force"] or set(roles) >= {"time", "force"}, f"columns are shown with their roles: {roles}")
    page.fill(mass="20 kg", models="own", own_models=", ".join(MODELS), more="--csv page.csv")
    ours, _ = page.identify()
    found = ours["found"]
    check(found["recommended"] == theirs["recommended"], f"{found['recommended']} is recommended, by the program {theirs['recommended']}")
    check([m["label"] for m in found["models"]] == [m["label"] for m in theirs["models"]], "the ranking differs")
    for mine, other in zip(found["models"], theirs["models"]):
        for key in ("estimation", "validation", "test"):
            a, b = mine[key]["noe_percent"], other[key]["noe_percent"]
            check(abs(a - b) <= NOE_BOUND * b, f"{mine['label']}: NOE of {key} is {a}, by the program {b}")
    ours_force = columns_of(ours["written"]["page.csv"])
    with open(os.path.join(FOLDER, "native.csv"), encoding="utf-8") as file:
        their_force = columns_of(file.read())
    name = next(key for key in ours_force if "predicted" in key)
    pairs = list(zip(ours_force[name], their_force[name]))
    rms = (sum(b * b for _, b in pairs) / len(pairs)) ** 0.5
    worst = max(abs(a - b) for a, b in pairs)
    check(worst <= FORCE_BOUND * rms, f"forces differ by {worst} N of {rms} N rms")
    print(f"forces differ by at most {worst:.2e} N of {rms:.3g} N rms")
    check("Servo" in ours["report"] or "<h1>" in ours["report"], "there is a report")
    check('model = "lugre"' in ours["model"], "there is a model file")


def shares_any_number_of_tasks(page):
    """One model, whose springs and bristles are no tasks at all; then a run that is cancelled, and one that is concluded early."""
    page.begin()
    page.read("first.csv", recording("servo-axis", "--seed", "1", "first.csv"))
    page.fill(mass="20 kg", models="own", own_models="coulomb-viscous")
    ours, _ = page.identify()
    check([m["label"] for m in ours["found"]["models"]] == ["coulomb-viscous"], "one model is fitted where one is asked for")
    page.fill(own_models="NLR(2), NLR(3), coulomb-viscous, dahl, lugre, elastoplastic, leuven, stribeck")
    page.script("document.getElementById('start').click()")
    page.wait("return document.getElementById('progress-text').textContent.includes('fitted')", 120)
    page.script("document.getElementById('cancel').click()")
    page.wait("return !document.getElementById('failure').hidden")
    check("cancelled" in page.script("return document.getElementById('failure').textContent"), "cancelling is said")
    page.script("delete stickslip.identified; document.getElementById('start').click()")
    page.wait("return /models: [1-7] of/.test(document.getElementById('progress-text').textContent)", 300)
    page.script("document.getElementById('conclude').click()")
    page.wait("return Boolean(stickslip.identified)", 300)
    found = page.script("return stickslip.identified.found")
    left = [text for text in found["skipped"] if "stopped before it was fitted" in text]
    check(len(found["models"]) + len(left) == 8, f"every model is fitted or named as left out: {found['skipped']}")
    check(page.script("return document.getElementById('result-notes').textContent").find("stopped before") >= 0, "the page says that it is not complete")


def need_result(page):
    """A result on the page, of the test before or of a small identification of its own."""
    if page.script("return Boolean(window.stickslip && stickslip.identified && !document.getElementById('result').hidden)"):
        return
    page.begin()
    page.read("first.csv", recording("servo-axis", "--seed", "1", "first.csv"))
    page.fill(mass="20 kg", models="own", own_models="lugre")
    page.identify()


def shows_the_report(page):
    need_result(page)
    # Figures are drawn when they come into view.
    page.wait("""const figure = document.getElementById("report").contentDocument?.querySelector("figure.plot");
      if (figure) figure.scrollIntoView();
      return Boolean(figure)""")
    page.wait("""const inside = document.getElementById("report").contentDocument;
      return Boolean(inside && inside.querySelector("figure.plot canvas"))""")
    title = page.script("return document.getElementById('report').contentDocument.querySelector('h1').textContent")
    check(title, "the report has a title")
    colours = page.script("""return [document.documentElement, document.getElementById("report").contentDocument.documentElement]
      .map((e) => ["--paper", "--ink", "--s0", "--s14"].map((name) => getComputedStyle(e).getPropertyValue(name)))""")
    check(colours[0] == colours[1], f"page and report have one palette: {colours}")


def gives_files(page):
    """Every download, caught before it reaches the disk."""
    need_result(page)
    page.script("""
      window.saved = {};
      HTMLAnchorElement.prototype.click = function () {
        const name = this.download;
        fetch_later(this.href, name);
      };
      window.fetch_later = (href, name) => { saved[name] = 0; };
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => { blob.text().then((text) => { window.lastText = text; }); return make(blob); };""")
    for button, name, word in [("Report (HTML)", "first.html", "<!doctype html>"), ("Model file (TOML)", "first.model.toml", "[friction]"),
                               ("C header", "first.h", "#ifndef"), ("Modelica", "first.mo", "model"),
                               ("FMU parameters (SSV)", "first.ssv", "friction.coulomb_force")]:
        page.script("window.lastText = ''; [...document.querySelectorAll('#downloads button')].find((b) => b.textContent === arguments[0]).click()", button)
        page.wait("return window.lastText", 60)
        check(word in page.script("return lastText"), f"{button}: {word} is not in it")
        check(page.script("return arguments[0] in saved", name), f"{button} is saved as {name}: {page.script('return Object.keys(saved)')}")


def refuses_as_the_program(page):
    good = b"time [s],position [m],force [N]\n" + b"".join(b"%g,%g,%g\n" % (i * 1e-3, i * 1e-5, 1) for i in range(50))
    bad = {"cell.csv": good.replace(b"0.007,", b"0.0o7,"), "short.csv": b"time [s],force [N]\n0,1\n", "empty.csv": b"",
           "noforce.csv": good.replace(b"force", b"colour"), "ragged.csv": good.replace(b"0.009,", b"0.009,3,"),
           "utf16.csv": good.decode().encode("utf-16"), "damaged.mat": b"MATLAB 5.0 MAT-file" + bytes(200), "damaged.npz": b"PK\x03\x04" + bytes(40)}
    folder = os.path.join(os.path.dirname(SOURCE), "shared", "badinputs")
    if os.path.isdir(folder):
        with open(os.path.join(folder, "INDEX.tsv"), encoding="utf-8") as index:
            rows = [line.split("\t") for line in index.read().strip().split("\n")[1:]]
        for row in [r for r in rows if r[3] != "ok"][::6]:
            with open(os.path.join(folder, row[0]), "rb") as file:
                content = file.read()
            if len(content) < 2e6:
                bad[os.path.basename(row[0])] = content
    else:
        print("only the files made here: there is no", folder)
    page.begin()
    for name, content in bad.items():
        with open(os.path.join(FOLDER, name), "wb") as file:
            file.write(content)
        code, _, errors = native("inspect", name, "--need", "time,force")
        warnings = [line[9:] for line in errors.split("\n") if line.startswith("warning: ")]
        refusal = "\n".join(line for line in errors.split("\n") if line and not line.startswith("warning: "))
        page_refusal, page_warnings = page.read(name, content)
        check(page_refusal == refusal, f"{name}: the page says\n{page_refusal}\nthe program says\n{refusal}")
        if code == 0:
            check(page_warnings == warnings, f"{name}: the page warns\n{page_warnings}\nthe program warns\n{warnings}")
    print(len(bad), "damaged files with the messages of the program")


def spreadsheet(rows):
    """The bytes of a workbook with one sheet."""
    def cell(place, value):
        if isinstance(value, str):
            return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
        return f'<c r="{place}"><v>{value!r}</v></c>'
    lines = ("".join(cell(f"{'ABCDEF'[c]}{r}", value) for c, value in enumerate(row)) for r, row in enumerate(rows, 1))
    main, relations = "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    parts = {"_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" Type="{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
             "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets><sheet name="log" sheetId="1" r:id="r1"/></sheets></workbook>',
             "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" Type="{relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
             "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>' + "".join(f"<row>{line}</row>" for line in lines) + "</sheetData></worksheet>"}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, '<?xml version="1.0"?>' + text)
    return file.getvalue()


def reads_a_spreadsheet(page):
    rows = [["time_s", "position_mm", "force_N"]] + [[0.002 * i, 20 * math.sin(0.01 * i), 10.5 if math.cos(0.01 * i) > 0 else -9.5] for i in range(700)]
    page.begin()
    refusal, _ = page.read("log.xlsx", spreadsheet(rows))
    check(not refusal, f"a spreadsheet is read: {refusal}")
    line = page.script("return document.getElementById('recording-line').textContent")
    check("700 samples" in line and "500 Hz" in line, f"700 rows at 500 Hz: {line}")


def takes_a_mapping(page):
    page.begin()
    text = b"a;b;c\n" + b"".join(b"%g;%g;%g\n" % (i * 1e-3, 0.01 * i, (i % 7) - 3) for i in range(200))
    refusal, _ = page.read("strange.csv", text)
    check(refusal, "columns without a name that is known are refused")
    check(page.script("return document.getElementById('start').disabled"), "nothing can be identified yet")
    page.fill(column_time="a")
    for role, heading, unit in (("time", "a", "s"), ("position", "b", "mm"), ("force", "c", "N")):
        page.wait("return !document.getElementById('reading').textContent && document.getElementById('column-%s')" % role)
        page.script("""const [role, heading, unit] = arguments, select = document.getElementById("column-" + role), input = document.getElementById("unit-" + role);
          select.value = heading; input.value = unit; input.dispatchEvent(new Event("change"));""", role, heading, unit)
    page.wait("return !document.getElementById('reading').textContent && !document.getElementById('start').disabled")
    page.fill(column_position="", unit_position="")
    page.wait("return !document.getElementById('reading').textContent && document.getElementById('start').disabled")
    words = page.script("return document.getElementById('failure').textContent")
    check("no position and no velocity" in words, f"a force without a motion cannot be identified: {words}")
    page.fill(column_position="b", unit_position="mm")
    page.wait("return !document.getElementById('reading').textContent && !document.getElementById('start').disabled")
    highest = page.script("return [...document.querySelectorAll('#columns tbody tr')].map((r) => r.cells[0].textContent + ' ' + r.cells[4].textContent)")
    check(any(row.startswith("position 0.00199") for row in highest), f"millimetres became metres: {highest}")


def takes_any_name(page):
    """Options, blanks, other alphabets, several points, none: read, identified, and its files named after it."""
    content = recording("servo-axis", "--seed", "1", "first.csv")
    page.begin()
    for name, stem in (("-o.csv", "-o"), ("Achse Größe 位置.csv", "Achse Größe 位置"), ("a.b.txt", "a.b"), ("plain", "plain"), ("it's.csv", "it's")):
        refusal, _ = page.read(name, content)
        check(not refusal, f"{name}: {refusal}")
        page.fill(mass="20 kg", models="own", own_models="lugre")
        ours, _ = page.identify()
        check(ours["stem"] == stem and ours["model"] and ours["report"], f"{name} gives {list(ours['written'])}")


def says_what_is_too_large(page):
    page.begin()
    page.script("""
      const file = new File(["time,force"], "huge.csv"), carried = new DataTransfer();
      Object.defineProperty(File.prototype, "size", { get() { return this.name === "huge.csv" ? 9e8 : Object.getOwnPropertyDescriptor(Blob.prototype, "size").get.call(this); } });
      carried.items.add(file);
      document.dispatchEvent(new DragEvent("drop", { dataTransfer: carried }));""")
    page.wait("return !document.getElementById('failure').hidden")
    words = page.script("return document.getElementById('failure').textContent")
    check("900 MB" in words and "room for" in words, f"a file that is too large is refused with both sizes: {words}")


def moves_at_once(page):
    page.begin("#tab=simulate")
    page.wait("return stickslip.live && stickslip.live.updates > 0", 60)
    before = page.script("return stickslip.live.updates")
    rate = page.driver.execute_async_script("""
      const done = arguments[0], slider = document.querySelector("#sliders input[type=range]"), begin = performance.now(), from = stickslip.live.updates;
      let frames = 0;
      const step = () => {
        slider.value = -0.2 + 0.4 * Math.abs(Math.sin(++frames / 20));
        slider.dispatchEvent(new Event("input"));
        if (performance.now() - begin < 3000) requestAnimationFrame(step);
        else done([(stickslip.live.updates - from) / 3, frames / 3]);
      };
      requestAnimationFrame(step);""")
    print(f"{rate[0]:.0f} updates a second, {rate[1]:.0f} frames")
    check(rate[0] > 5, f"only {rate[0]} updates a second")  # a loaded machine; 60 on a free one
    check(page.script("return stickslip.live.updates") > before, "sliders change the figure")
    # the same numbers as the program: the first breakaway of the pulled mass, F_S/(k V)
    page.script("document.getElementById('reset').click()")
    page.wait("return stickslip.live && stickslip.live.updates > 0", 60)
    shade = page.script("return stickslip.plots[0].panels[0].shades[0]")
    check(shade, "sticking is shaded")


def carries_a_link(page):
    page.begin("#tab=simulate")
    page.wait("return stickslip.live && stickslip.live.updates > 0", 60)
    page.script("""const input = [...document.querySelectorAll(".slider input[type=number]")].find((e) => e.getAttribute("aria-label").startsWith("mass"));
      input.value = "3"; input.dispatchEvent(new Event("change"));""")
    page.script("document.getElementById('machine').dispatchEvent(new Event('none')); document.getElementById('share-run').click()")
    page.wait("return location.hash.includes('machine.mass')")
    link = page.script("return location.hash")
    page.begin(link)
    page.wait("return stickslip.live && stickslip.live.updates > 0", 60)
    check(page.script("return stickslip.live.values.get('machine.mass')") == 3, f"the link {link} carries the mass")


def gives_up_a_run_that_takes_too_long(page):
    page.begin("#law=extended-maxwell-slip&machine=pulled-spring")
    page.wait("return !document.getElementById('live-failure').hidden", 90)
    check("more than 20 s" in page.script("return document.getElementById('live-failure').textContent"), "a run that takes too long is said to")
    page.script("document.getElementById('law').value = 'lugre'; document.getElementById('law').onchange()")
    page.wait("return stickslip.live.updates > 0 && document.getElementById('live-failure').hidden", 90)


def draws_every_law(page):
    """Every law alone, as its page in the documentation draws it: the numbers are those of `stickslip check LAW`."""
    page.begin("#law=coulomb&machine=law-alone&embed=1&theme=dark", 340, "light")  # a phone, less the margins of the page around it
    page.wait("return stickslip.live && stickslip.live.updates > 0", 60)
    check(page.script("return document.documentElement.dataset.theme") == "dark", "a page around it says the colours")
    laws = page.script("return [...document.getElementById('law').options].map((o) => o.value)")
    check(len(laws) == len([n for n in os.listdir(os.path.join(SOURCE, "docs/models")) if n != "index.md"]), f"laws: {laws}")
    for law in laws:
        page.script("delete stickslip.live; const law = document.getElementById('law'); law.value = arguments[0]; law.onchange()", law)
        page.wait("return (stickslip.live && stickslip.live.updates > 0) || !document.getElementById('live-failure').hidden", 60)
        problem = page.script("const f = document.getElementById('live-failure'); return f.hidden ? '' : f.textContent")
        check(not problem, f"{law}: {problem}")
        shown = page.script("return stickslip.plots.at(-1).panels.map((p) => [p.title, [...p.series[0].x], [...p.series[0].y]])")
        check([len(x) for _, x, _ in shown] == [4001, 6001], f"{law}: {[(t, len(x)) for t, x, _ in shown]}")
        numbers = page.script("return stickslip.plots.at(-1).panels.map((p) => p.xScale.ticks.filter((t) => t.label).length)")
        check(min(numbers) >= 2, f"{law}: axes with {numbers} numbers")
        check(page.script("return stickslip.live.numbers.every((n) => n.path.startsWith('friction'))"), f"{law}: sliders of the law alone")
        if law in ("stribeck", "dahl", "lugre", "generalized-maxwell-slip", "hybrid-preisach"):
            drawn_as_the_program(law, shown)


def drawn_as_the_program(law, shown):
    native("check", law, "--report", "law.html")
    with open(os.path.join(FOLDER, "law.html"), encoding="utf-8") as file:
        text = file.read()
    columns = {int(number): element for number, element in re.findall(r'<script type="text/plain" id="c(\d+)"([^<]*)</script>', text)}
    figure = json.loads(re.search(r'<script type="application/json">(.*?)</script>', text)[1])
    for (title, x, y), panel in zip(shown, figure["panels"]):
        for mine, number in ((x, panel["series"][0]["x"]), (y, panel["series"][0]["y"])):
            theirs, size = unpacked(columns[number]), max(map(abs, mine))
            # The page begins with the numbers of `models --json`, which are written with six digits.
            off = max(abs(a - b) if b is not None else 0.0 for a, b in zip(mine, theirs) if a is not None)
            check(off <= 1e-5 * size, f"{law}, {title}: the page is {off} off the program's figure of size {size}")


def unpacked(element):
    """A column of a report (src/report/page_figure.hpp)."""
    facts, content = element.split(">", 1)
    said = dict(re.findall(r'data-(\w+)="([^"]*)"', facts))
    count = int(said["n"])
    if said["kind"] == "grid":
        return [float(said["from"]) + i * float(said["step"]) for i in range(count)]
    if said["kind"] == "f64":
        return list(struct.unpack(f"<{count}d", base64.b64decode(content)))
    gap = -2147483648
    return [None if q == gap else float(said["from"]) + (q - gap) * float(said["step"])
            for q in struct.unpack(f"<{count}i", base64.b64decode(content))]


def is_live_in_the_documentation(page):
    """The figure of a model's page takes sliders; without the page for browsers it is the drawing it was."""
    sys.path.insert(0, os.path.join(SOURCE, "scripts"))
    import docs_hook
    place = os.path.join(FOLDER, "site")
    for folder in ("models", "assets", "images/models"):
        os.makedirs(os.path.join(place, folder), exist_ok=True)
    shutil.copy(PAGE, os.path.join(place, "stickslip.html"))
    shutil.copy(os.path.join(SOURCE, "docs/assets/live_laws.js"), os.path.join(place, "assets"))
    shutil.copy(os.path.join(SOURCE, "docs/assets/site.css"), os.path.join(place, "assets"))
    shutil.copy(os.path.join(SOURCE, "docs/images/models/lugre.svg"), os.path.join(place, "images/models"))
    figures = {}
    for name in sorted(os.listdir(os.path.join(SOURCE, "docs/models"))):
        with open(os.path.join(SOURCE, "docs/models", name), encoding="utf-8") as file:
            text = file.read()
        source = types.SimpleNamespace(file=types.SimpleNamespace(src_uri="models/" + name))
        made = re.findall(r'<div class="live-law".*</div>', docs_hook.on_page_markdown(text, source))
        check(len(made) == (name != "index.md"), f"docs/models/{name} has {len(made)} live figures")
        check(not made or f'data-law="{name[:-3]}"' in made[0], f"docs/models/{name}: {made}")
        figures[name] = made
    with open(os.path.join(place, "models/lugre.html"), "w", encoding="utf-8") as file:
        file.write('<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><link rel="stylesheet" href="../assets/site.css">'
                   f'<body data-md-color-scheme="slate">{figures["lugre.md"][0]}<script src="../assets/live_laws.js"></script>')
    for width in WIDTHS:
        page.dress(width, "light")
        page.driver.get("file://" + os.path.join(place, "models/lugre.html"))
        page.wait("return Boolean(document.querySelector('.live-law.is-live'))", 60)
        page.driver.save_screenshot(os.path.join(FOLDER, f"live-law-{width}.png"))
        page.driver.switch_to.frame(page.driver.find_element(By.CSS_SELECTOR, "iframe"))
        check(page.script("return document.documentElement.dataset.theme") == "dark", "the figure has the colours of the page around it")
        peak = "return Math.max(...stickslip.plots.at(-1).panels[1].series[0].y)"
        before = page.script(peak)
        page.script("""const input = document.getElementById("number friction.coulomb_force"), done = stickslip.live.updates;
          input.value = Math.log10(3); input.dispatchEvent(new Event("input")); window.doneBefore = done;""")
        page.wait("return stickslip.live.updates > doneBefore", 60)
        check(page.script(peak) > 1.5 * before, f"three times the Coulomb level: {before} N became {page.script(peak)} N")
        page.driver.switch_to.default_content()


def compares_laws(page):
    page.begin("#tab=compare")
    page.wait("return document.querySelectorAll('#laws input').length > 20", 60)
    page.script("""for (const box of document.querySelectorAll("#laws input")) box.checked = ["coulomb", "stribeck"].includes(box.value);
      document.getElementById("measure").click();""")
    page.wait("return document.getElementById('measured').textContent.includes('laws measured')", 300)
    shown = page.script("return [...document.querySelectorAll('#scorecard tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))")
    for row in shown:
        code, output, _ = native("check", row[0], "--json")
        theirs = [p["verdict"] for p in json.loads(output)["models"][0]["properties"]]
        check(row[1:] == theirs, f"{row[0]}: the page measures {row[1:]}, the program {theirs}")
    page.driver.find_element(By.CSS_SELECTOR, "#scorecard td button").click()
    check(page.script("return document.getElementById('measurement').textContent"), "a cell tells what was measured")


def works_by_keyboard(page):
    page.begin()
    seen = []
    for _ in range(6):
        ActionChains(page.driver).send_keys(Keys.TAB).perform()
        seen.append(page.script("return document.activeElement.id || document.activeElement.className"))
    check("tab-identify" in seen and "file" in seen and "demo" in seen, f"the keyboard reaches tabs, file and demo: {seen}")
    page.driver.find_element(By.ID, "tab-identify").send_keys(Keys.ARROW_RIGHT)
    check(page.script("return document.activeElement.id") == "tab-simulate", "an arrow changes the tab")
    check(not page.script("return document.getElementById('simulate').hidden"), "and shows it")


def identifies_by_keyboard(page):
    """From the demo recording to its model in motion with keys alone."""
    press = lambda *keys: ActionChains(page.driver).send_keys(*keys).perform()

    def tab_to(wanted):
        for _ in range(80):
            press(Keys.TAB)
            if page.script("const e = document.activeElement; return e.matches(arguments[0])", wanted):
                seen = page.script("const e = document.activeElement; return getComputedStyle(e).outlineStyle !== 'none' || e.matches('.hidden-text')")
                check(seen, f"{wanted} shows that it has the focus")
                return
        raise AssertionError(f"the keyboard does not reach {wanted}")

    page.begin()
    tab_to("#demo")
    press(Keys.ENTER)
    page.wait("return !document.getElementById('recording').hidden && !document.getElementById('reading').textContent", 60)
    tab_to("#models")
    press("t")  # these:
    tab_to("#own-models")
    press("lugre")
    tab_to("#start")
    press(Keys.ENTER)
    page.wait("return Boolean(stickslip.identified) && !document.getElementById('result').hidden", 120)
    check([m["label"] for m in page.script("return stickslip.identified.found.models")] == ["lugre"], "the model that was typed is fitted")
    tab_to("#downloads button")
    tab_to("#use")
    press(Keys.ENTER)
    page.wait("return stickslip.live && stickslip.live.updates > 0", 60)
    tab_to("#sliders input[type=range]")
    before = page.script("return [document.activeElement.id.slice(7), stickslip.live.values.get(document.activeElement.id.slice(7)), stickslip.live.updates]")
    press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    page.wait(f"return stickslip.live.updates > {before[2]}", 60)
    check(page.script("return stickslip.live.values.get(arguments[0])", before[0]) > before[1], f"an arrow moves the slider of {before[0]}")


def keeps_options_whole(page):
    """On a phone a line does not end inside an option: "--" here, "model" there."""
    page.begin("", 390)
    page.read("first.csv", recording("servo-axis", "--seed", "1", "first.csv"))
    page.fill(mass="20 kg", models="own", own_models=", ".join(MODELS), more="--per-direction --most-operators 4 --no-offset")
    shown = page.script("""return [...document.querySelectorAll("#command .option")].map((e) => [e.textContent, e.getClientRects().length])""")
    check(len(shown) >= 8 and all(lines == 1 for _, lines in shown), f"options of the command and the lines they take: {shown}")
    check(page.script("return document.getElementById('command').getClientRects().length") > 2, "the command takes several lines")
    command = page.script("return document.getElementById('command').textContent")
    check("--model stribeck --model lugre" in command, f"the command is whole: {command}")


def looks_right(page):
    for width in WIDTHS:
        for theme in THEMES:
            for tab in ("identify", "simulate", "compare"):
                page.begin("#tab=" + tab, width, theme)
                if tab == "simulate":
                    page.wait("return stickslip.live && stickslip.live.updates > 0", 60)
                    page.settle()
                    labels = page.script("return stickslip.plots[0].panels.map((p) => p.yScale.ticks.filter((t) => t.label).length)")
                    check(min(labels) >= 2, f"every axis has two numbers at least, at {width} px: {labels}")
                if tab == "compare":
                    page.wait("return document.querySelectorAll('#laws input').length > 20", 60)
                page.settle()
                page.fits(f"{tab} at {width} px", width)
                page.shoot(f"page-{tab}-{width}-{theme}")
                page.stays_quiet(f"{tab} at {width} px, {theme}")


TESTS = (identifies_as_the_program, shows_the_report, gives_files, shares_any_number_of_tasks, refuses_as_the_program, reads_a_spreadsheet,
         takes_a_mapping, takes_any_name, says_what_is_too_large, moves_at_once, carries_a_link, draws_every_law, is_live_in_the_documentation,
         compares_laws, gives_up_a_run_that_takes_too_long, works_by_keyboard, identifies_by_keyboard, keeps_options_whole, looks_right)

if __name__ == "__main__":  # page_test.py PROGRAM FOLDER [TEST]...: all, or some of them, in the order given
    need_page()
    chosen = [test for name in sys.argv[3:] for test in TESTS if test.__name__ == name] or TESTS
    with Page() as page:
        for test in chosen:
            test(page)
            page.stays_quiet(test.__name__)
