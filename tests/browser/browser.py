"""What the browser tests share: Chromium without a window, pages from disk, and what must hold for every report.

Run as: python3 tests/browser/NAME.py PROGRAM FOLDER, where FOLDER takes reports and screenshots.
Exit code 77 (ctest: skipped) where Chromium, its driver or Selenium is missing.
"""
import os
import shutil
import subprocess
import sys
import time

SKIP = 77


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIP)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    skip("python3-selenium is not installed")

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not CHROMIUM or not DRIVER:
    skip("chromium or chromium-driver is not installed")

PROGRAM, FOLDER = (os.path.abspath(path) for path in sys.argv[1:3])
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.makedirs(FOLDER, exist_ok=True)
WIDTHS, THEMES = (1400, 390), ("light", "dark")


def stickslip(*arguments):
    """Runs the program in FOLDER."""
    done = subprocess.run([PROGRAM, *arguments], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: exit code {done.returncode}\n{done.stderr}"
    return done.stdout


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Browser:
    """One window; a page at a time."""

    def __init__(self):
        options = Options()
        options.binary_location = CHROMIUM
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--no-first-run", "--disable-background-networking"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def dress(self, width, theme, height=900):
        self.width = width
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": theme}]})

    def open(self, name):
        """Opens a file of FOLDER; returns the seconds until it is loaded and the first figure in sight is drawn."""
        start = time.monotonic()
        self.driver.get("file://" + os.path.join(FOLDER, name))
        self.wait("""
          const first = document.querySelector("figure.plot");
          return window.stickslip && (stickslip.plots.length > 0 || !first || first.getBoundingClientRect().top > innerHeight)""")
        return time.monotonic() - start

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def wait(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not self.script(condition):
            check(time.monotonic() < end, f"still not after {seconds} s: {condition}")
            time.sleep(0.02)

    def settle(self):
        """Two frames later everything asked for is drawn."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));")

    def requests(self):
        """Addresses asked for, other than the page itself and data inside it."""
        import json
        asked = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        return [a for a in asked if not a.startswith(("file:", "data:", "blob:"))]

    def stays_quiet(self, name):
        log = [entry["message"] for entry in self.driver.get_log("browser")]
        check(not log, f"{name}: the console says {log}")
        asked = self.requests()
        check(not asked, f"{name}: requests leave: {asked}")

    def shoot(self, name):
        """The whole page as one picture."""
        self.script("window.stickslip.drawAll()")
        width = self.width
        height = min(self.script("return document.documentElement.scrollHeight"), 16000)
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        self.settle()
        self.driver.save_screenshot(os.path.join(FOLDER, name + ".png"))

    def fits(self, name, room):
        wide = self.script("return document.documentElement.scrollWidth")
        check(wide <= room, f"{name}: the page is {wide} px wide in a window of {room} px")

    def has_ink(self, name):
        """Every panel with data shows more than an empty frame."""
        empty = self.script("""
          return stickslip.plots.flatMap((plot) => plot.panels).filter((panel) => panel.hasData).filter((panel) => {
            const { left, top, width, height } = panel.box, pixels = Math.max(1, devicePixelRatio);
            const image = panel.canvas.getContext("2d").getImageData((left + 2) * pixels, (top + 2) * pixels,
              (width - 4) * pixels, (height - 4) * pixels).data;
            const seen = new Set();
            for (let i = 0; i < image.length; i += 4) seen.add(image[i] << 16 | image[i + 1] << 8 | image[i + 2]);
            return seen.size < 4;
          }).map((panel) => panel.title + " " + panel.y.label)""")
        check(not empty, f"{name}: nothing is drawn in {empty}")


def look_everywhere(browser, page, name):
    """Opens a page at both widths, light and dark: it fits, draws, is silent, asks for nothing; a picture of each."""
    for width in WIDTHS:
        for theme in THEMES:
            browser.dress(width, theme)
            browser.open(page)
            browser.script("window.stickslip.drawAll()")
            browser.settle()
            where = f"{page} at {width} px, {theme}"
            browser.fits(where, width)
            browser.has_ink(where)
            browser.shoot(f"{name}-{width}-{theme}")
            browser.stays_quiet(where)
