"""What the tests of the page share: stickslip.html in a browser, files dropped on it, its answers beside the program's.

The page is built by scripts/page, not by ./test: where it was not built, or is older than the sources, tests are skipped and say so.
"""
import base64
import json
import os
import subprocess
import time

from browser import (Browser, FOLDER, PROGRAM, SOURCE, check, skip)

PAGE = os.path.join(SOURCE, "build", "page", "stickslip.html")


def newest(*folders):
    times = [os.path.getmtime(os.path.join(at, name)) for folder in folders
             for at, _, names in os.walk(os.path.join(SOURCE, folder)) for name in names]
    return max(times)


def need_page():
    if not os.path.exists(PAGE):
        skip("the page has not been built; scripts/page does it")
    if newest("src", "include") > os.path.getmtime(PAGE):
        skip("the page is older than the sources; scripts/page builds it anew")


def native(*arguments, folder=FOLDER):
    """The program in FOLDER: exit code, output, errors."""
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Page(Browser):
    def __init__(self):
        super().__init__()
        self.driver.set_script_timeout(600)

    def begin(self, fragment="", width=1400, theme="light"):
        self.dress(width, theme)
        self.driver.get("about:blank")
        self.driver.get("file://" + PAGE + fragment)
        self.wait("return Boolean(window.stickslip && document.getElementById('drop'))")

    def drop(self, name, content):
        """A file dropped on the page, as the browser tells it."""
        self.script("window.dropped = []")
        data = base64.b64encode(content).decode()
        for at in range(0, max(1, len(data)), 1 << 20):  # in parts: a driver takes no long argument
            self.script("dropped.push(arguments[0])", data[at:at + (1 << 20)])
        self.script("""
          const binary = atob(dropped.join("")), bytes = new Uint8Array(binary.length);
          for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
          const carried = new DataTransfer();
          carried.items.add(new File([bytes], arguments[0]));
          document.getElementById("recording").hidden = true;
          document.getElementById("drop").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: carried }));""", name)

    def read(self, name, content, seconds=60):
        """Drops a recording; returns the refusal ("" if it was taken) and the warnings."""
        self.drop(name, content)
        self.wait("return !document.getElementById('recording').hidden || !document.getElementById('failure').hidden", seconds)
        self.wait("return !document.getElementById('reading').textContent", seconds)
        return (self.script("const f = document.getElementById('failure'); return f.hidden ? '' : f.textContent"),
                self.script("return [...document.querySelectorAll('#notes li')].map((e) => e.textContent)"))

    def fill(self, **fields):
        for field, value in fields.items():
            self.script("""
              const element = document.getElementById(arguments[0].replace("_", "-"));
              element.value = arguments[1];
              element.dispatchEvent(new Event("input", { bubbles: true }));
              element.dispatchEvent(new Event("change", { bubbles: true }));""", field, value)

    def identify(self, seconds=600):
        """Presses the button; returns the result as the page holds it, and the seconds it took."""
        start = time.monotonic()
        self.script("delete stickslip.identified; document.getElementById('start').click()")
        self.wait("return stickslip.identified || !document.getElementById('failure').hidden", seconds)
        took = time.monotonic() - start
        failure = self.script("const f = document.getElementById('failure'); return f.hidden ? '' : f.textContent")
        check(not failure, f"identification failed: {failure}")
        return self.script("return stickslip.identified"), took


def recording(*arguments):
    """A generated recording, its bytes."""
    name = arguments[-1]
    code, _, errors = native("generate", *arguments[:-1], "-o", name)
    check(code == 0, f"generate {arguments}: {errors}")
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()


def identified_natively(name, *options):
    code, output, errors = native("identify", name, *options, "--json", "--no-files")
    check(output, f"identify {name}: {errors}")
    return json.loads(output)


def columns_of(csv):
    lines = csv.strip().split("\n")
    rows = [[float(cell) for cell in line.split(",")] for line in lines[1:]]
    return dict(zip(lines[0].split(","), map(list, zip(*rows))))
