"""Reports in a real browser: every kind opens from disk, zooms, reads off, hides a series, and nothing leaves."""
import base64
import pathlib
import re
import shutil
import subprocess
import tempfile

from browser import (ActionChains, Browser, By, Keys, SOURCE, check, look_everywhere, stickslip)


def plot_panels(browser, plot=0):
    browser.script(f"stickslip.plots[{plot}].element.scrollIntoView({{block: 'start'}})")
    return browser.driver.find_elements(By.CSS_SELECTOR, "figure.plot")[plot].find_elements(By.CSS_SELECTOR, ".over-ink")


def views(browser, plot=0):
    return browser.script(f"return stickslip.plots[{plot}].panels.map((p) => [...p.group.shown])")


def drag(browser, surface, from_part, to_part):
    width = surface.size["width"]
    ActionChains(browser.driver, duration=20).move_to_element_with_offset(surface, int((from_part - 0.5) * width), 0) \
        .click_and_hold().move_to_element_with_offset(surface, int((to_part - 0.5) * width), 5).release().perform()
    browser.settle()


def zooms_together(browser):
    surface = plot_panels(browser)[0]
    full = views(browser)
    drag(browser, surface, 0.4, 0.6)
    closer = views(browser)
    check(closer[0][1] - closer[0][0] < 0.4 * (full[0][1] - full[0][0]), f"dragging did not zoom: {full} {closer}")
    check(all(view == closer[0] for view in closer), f"panels over the same time differ: {closer}")
    surface.send_keys(Keys.ARROW_RIGHT)
    browser.settle()
    moved = views(browser)[0]
    check(moved[0] > closer[0][0], "the arrow key did not move the view")
    surface.send_keys("+")
    browser.settle()
    check(views(browser)[0][1] - views(browser)[0][0] < moved[1] - moved[0], "the plus key did not zoom")
    surface.send_keys("0")
    browser.settle()
    check(views(browser) == full, "0 did not show everything again")


def reads_values(browser):
    surface = plot_panels(browser)[0]
    ActionChains(browser.driver).move_to_element(surface).perform()
    browser.settle()
    tips = browser.script("return stickslip.plots[0].panels.map((p) => p.tip.hidden ? '' : p.tip.textContent)")
    check(tips[0] and any(letter.isdigit() for letter in tips[0]), f"no value beside the pointer: {tips}")
    check(all(tips), f"the other panels say nothing: {tips}")
    check(tips[0].startswith("time"), f"the read-out begins with the time: {tips[0]}")


def toggles_a_series(browser):
    buttons = browser.driver.find_elements(By.CSS_SELECTOR, ".legend button")
    check(buttons, "there is no legend to press")
    before = browser.script("return stickslip.plots[0].panels.map((p) => p.canvas.toDataURL())")
    buttons[0].click()
    browser.settle()
    check(buttons[0].get_attribute("aria-pressed") == "false", "the legend does not say that the series is hidden")
    after = browser.script("return stickslip.plots[0].panels.map((p) => p.canvas.toDataURL())")
    check(before != after, "hiding a series changed nothing")
    buttons[0].click()
    browser.settle()
    check(before == browser.script("return stickslip.plots[0].panels.map((p) => p.canvas.toDataURL())"),
          "showing it again did not bring the figure back")


def changes_colours(browser):
    paper = "return getComputedStyle(document.documentElement).backgroundColor"
    before = browser.script(paper)
    button = browser.driver.find_element(By.CSS_SELECTOR, "button.theme")
    seen = {before}
    for _ in range(3):
        button.click()
        browser.settle()
        seen.add(browser.script(paper))
    check(len(seen) == 2, f"light and dark should be two colours of paper: {seen}")
    check(browser.script(paper) == before, "three presses should come back to the reader's setting")


def prints(browser):
    document = browser.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    check(len(document["data"]) > 20000, "the printed page is empty")
    drawn = browser.script("return [...document.querySelectorAll('.on-paper')].map(e => e.querySelectorAll('svg path, svg polyline').length)")
    figures = browser.script("return document.querySelectorAll('figure.plot').length")
    check(len(drawn) == figures and all(count > 0 for count in drawn), f"{figures} figures, on paper with {drawn} curves")
    curves_on_paper(document["data"])


def curves_on_paper(data):
    """Poppler, another reader, finds coloured ink in every page that has a figure: curves, not only axes and words."""
    if not shutil.which("pdftoppm"):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "page.pdf"
        path.write_bytes(base64.b64decode(data))
        subprocess.run(["pdftoppm", "-r", "40", path, pathlib.Path(folder) / "p"], check=True)
        coloured = 0
        for sheet in pathlib.Path(folder).glob("*.ppm"):
            pixels = sheet.read_bytes().split(b"\n", 3)[3]
            coloured += sum(1 for i in range(0, len(pixels) - 2, 3) if max(pixels[i:i + 3]) - min(pixels[i:i + 3]) > 60)
        check(coloured > 400, f"the printed pages have {coloured} coloured dots: where are the curves?")
        # Browsers shrink a document that is wider than the paper; its headings then tell.
        words = subprocess.run(["pdftotext", "-bbox", path, "-"], check=True, capture_output=True, text=True).stdout
        heights = [float(low) - float(high) for high, low in re.findall(r'yMin="([\d.]+)" xMax="[\d.]+" yMax="([\d.]+)">repeat<', words)]
        check(max(heights, default=0) > 16, f"'How to repeat' is {heights} points high on paper: the report was shrunk to fit")


def saves_png(browser):
    size = browser.driver.execute_async_script("""
      const done = arguments[0], original = HTMLAnchorElement.prototype.click;
      HTMLAnchorElement.prototype.click = function () {
        HTMLAnchorElement.prototype.click = original;
        fetchless(this.href);
      };
      const fetchless = (address) => {
        const image = new Image();
        image.onload = () => done([image.naturalWidth, image.naturalHeight]);
        image.onerror = () => done([0, 0]);
        image.src = address;
      };
      [...stickslip.plots[0].element.querySelectorAll("button")].find((b) => b.textContent === "PNG").click();""")
    check(size[0] > 500 and size[1] > 300, f"the saved PNG has {size} pixels")


def simulate_reports(browser):
    kinds = {"stick_slip": "stick_slip", "dual_clutch": "machines/dual_clutch",
             "hydraulic_cylinder": "machines/hydraulic_cylinder", "clutch_by_wire": "machines/clutch_by_wire_play"}
    for name, scenario in kinds.items():
        page = f"simulate-{name}.html"
        stickslip("simulate", f"{SOURCE}/examples/{scenario}.toml", "--no-files", "--report", page)
        look_everywhere(browser, page, f"simulate-{name}")
    works(browser, "simulate-stick_slip.html")


def gallery(browser):
    stickslip("reproduce", "stick-slip", "switch-map", "three-bodies", "--report", "gallery")
    for name in ("index", "nouailletas_2010", "biagiotti"):
        look_everywhere(browser, f"gallery/{name}.html", f"gallery-{name}")


def works(browser, page):
    """Zoom, read-out, legend, colours and paper of an open page."""
    browser.dress(1400, "light")
    browser.open(page)
    zooms_together(browser)
    reads_values(browser)
    toggles_a_series(browser)
    changes_colours(browser)
    saves_png(browser)
    prints(browser)
    browser.stays_quiet(f"{page} after all of it")


def identification_reports(browser):
    for name, seed in (("first", 3), ("second", 8)):
        stickslip("generate", "servo-axis", "--seed", str(seed), "--duration", "30 s", "-o", f"{name}.csv")
    stickslip("identify", "first.csv", "--mass", "20 kg", "--model", "stribeck", "--model", "lugre", "--model",
              "maxwell-slip", "--most-operators", "3", "-o", "axis.model.toml", "--report", "identify.html")
    stickslip("validate", "axis.model.toml", "second.csv", "--report", "validate.html")
    for name in ("identify", "validate"):
        look_everywhere(browser, f"{name}.html", name)
        works(browser, f"{name}.html")


def check_report(browser):
    stickslip("check", "lugre", "--report", "check-lugre.html")
    look_everywhere(browser, "check-lugre.html", "check-lugre")


with Browser() as window:
    simulate_reports(window)
    identification_reports(window)
    gallery(window)
    check_report(window)
print("reports: all of it holds")
