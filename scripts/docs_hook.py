"""What scripts/docs asks of mkdocs beyond its settings: ```console first=12 is shown as ```console, without the options,
which are for scripts/update-docs (Python's Markdown would not take such a line for the start of a block)."""
import re


def on_page_markdown(markdown, **_):
    return re.sub(r"^```console .*$", "```console", markdown, flags=re.MULTILINE)
