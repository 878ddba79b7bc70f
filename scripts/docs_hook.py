"""What scripts/docs asks of mkdocs beyond its settings.

```console first=12 is shown as ```console, without the options, which are for scripts/update-docs (Python's Markdown would not take such
a line for the start of a block). ```math is typeset by KaTeX in the reader's browser, from files beside the page: nothing is fetched.
Search works from disk (docs/assets/search_from_disk.js). Where scripts/page has built the page for browsers, the site contains it, and
every model's page has sliders on its own figure; where not, the site says how to get it."""
import html
import pathlib
import re
import shutil

KATEX = pathlib.Path("/usr/share/javascript/katex")  # Debian's libjs-katex
FONTS = pathlib.Path("/usr/share/fonts/truetype/katex")  # and fonts-katex
PAGE = pathlib.Path(__file__).resolve().parent.parent / "build/page/stickslip.html"


def live_figure(found):
    """The drawing of a model, which docs/assets/live_laws.js gives sliders."""
    words, image, name = found.groups()
    return f'<div class="live-law" data-law="{name}" data-page="../stickslip.html"><img alt="{words}" src="{image}"></div>'


def on_page_markdown(markdown, page, **_):
    markdown = re.sub(r"^```console .*$", "```console", markdown, flags=re.MULTILINE)
    markdown = re.sub(r"^```math\n(.*?)^```$", lambda found: f'<div class="math">{html.escape(found.group(1).strip())}</div>', markdown,
                      flags=re.MULTILINE | re.DOTALL)
    if PAGE.exists() and page.file.src_uri.startswith("models/"):
        markdown = re.sub(r"^!\[([^]]*)\]\((\.\./images/models/([a-z-]+)\.svg)\)$", live_figure, markdown, flags=re.MULTILINE)
    if page.file.src_uri == "guides/browser.md":
        markdown = markdown.replace("<!-- the page -->", '**<a href="../stickslip.html">Open the page</a>**' if PAGE.exists() else
                                    "This site was built without the page; `./stickslip page` writes it.")
    return markdown


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
    if PAGE.exists():
        shutil.copyfile(PAGE, site / "stickslip.html")
