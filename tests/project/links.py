"""links.py ROOT: every link of README.md, CONTRIBUTING.md and docs/ leads to a file and, after '#', to a heading of it."""
import pathlib
import re
import sys


def headings(text):
    """The anchors that a page's headings get."""
    anchors = set()
    for title in re.findall(r"^#+ (.*)$", text, re.M):
        plain = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", re.sub(r"[`*]", "", title))
        anchors.add(re.sub(r"\s+", "-", re.sub(r"[^\w\- ]", "", plain.strip().lower())))
    return anchors


root = pathlib.Path(sys.argv[1]).resolve()
files = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
pages = {file: re.sub(r"```.*?```", "", file.read_text(encoding="utf-8"), flags=re.S) for file in files}
links, wrong = 0, []
for file, text in pages.items():
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"\w+:", link):
            continue
        links += 1
        path, _, anchor = link.partition("#")
        target = (file.parent / path).resolve() if path else file
        if not target.exists():
            wrong.append(f"{file.relative_to(root)}: no file for the link {link}")
        elif anchor and target in pages and anchor not in headings(pages[target]):
            wrong.append(f"{file.relative_to(root)}: no heading for the link {link}")
print("\n".join(wrong) or f"{links} links of {len(pages)} pages lead somewhere")
sys.exit(1 if wrong or links < 100 else 0)
