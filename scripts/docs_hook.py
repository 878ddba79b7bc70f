"""What scripts/docs asks of mkdocs beyond its settings.
```console first=12 is shown as ```console, without the options, which are for scripts/update-docs (Python's Markdown would not take such
a line for the start of a block). ```math is typeset by KaTeX in the reader's browser, from files beside the page: nothing is fetched.
Search works from disk (docs/assets/search_from_disk.js)."""
import html
import pathlib
import re
import shutil

KATEX = pathlib.Path("/usr/share/javascript/katex")  # Debian's libjs-katex
FONTS = pathlib.Path("/usr/share/fonts/truetype/katex")  # and fonts-katex


def on_page_markdown(markdown, **_):
    markdown = re.sub(r"^```console .*$", "```console", markdown, flags=re.MULTILINE)
    return re.sub(r"^```math\n(.*?)^```$", lambda found: f'<div class="math">{html.escape(found.group(1).strip())}</div>', markdown,
                  flags=re.MULTILINE | re.DOTALL)


def on_post_page(output, page, **_):
    """The script must run before the theme's own."""
    up = "../" * page.url.count("/")
    return output.replace("<head>", f'<head><script src="{up}assets/search_from_disk.js"></script>', 1)


def on_post_build(config, **_):
    site = pathlib.Path(config["site_dir"])
    index = (site / "search/search_index.json").read_text()
    (site / "search/search_index.js").write_text(f"window.__search = {{index: Promise.resolve({index})}};\n")
    place = site / "katex"
    (place / "fonts").mkdir(parents=True, exist_ok=True)
    for name in ("katex.js", "katex.css"):
        lean = KATEX / name.replace(".", ".min.")
        shutil.copy(lean if lean.exists() else KATEX / name, place / name)
    for font in FONTS.glob("*.woff2"):
        shutil.copy(font, place / "fonts" / font.name)
