"""rooms.py SOURCE: every file of src/ is in the namespace of its folder, and nothing is declared in advance outside of it.

Rooms are inline namespaces (docs/decisions/0012-rooms-are-inline-namespaces.md). A file that opens plain `stickslip` would define
functions beside those that its header declares, which is found at the earliest when a program is linked.
"""
import pathlib
import re
import sys

ROOMS = {
    "recording": "recordings", "report": "reports", "generate": "generation", "sweep": "sweeps", "check": "checks",
    "fmu_binary": "fmu", "compensate": "compensation",
}  # all others are named as their folder
FLAT = {"core", "models"}
OPENED = re.compile(r"^namespace stickslip(::inline (\w+))? \{$", re.M)


def main(source):
    wrong, files = [], 0
    rooms = {ROOMS.get(f.name, f.name) for f in (source / "src").iterdir() if f.is_dir()} - FLAT
    for file in sorted((source / "src").rglob("*.[ch]pp")):
        folder = file.relative_to(source / "src").parts[0]
        text = file.read_text(encoding="utf-8")
        room = None if folder in FLAT else ROOMS.get(folder, folder)
        opened = [found.group(2) for found in OPENED.finditer(text)]
        files += bool(opened)
        for name in opened:
            if name == room:
                continue
            # Another room is opened to declare a type of it in advance, and for nothing else.
            advance = name in rooms and re.search(
                rf"^namespace stickslip::inline {name} \{{\n(///[^\n]*\n|(struct|class|enum class) [^\n{{]*;\n)+\}}", text, re.M)
            if not advance:
                wrong.append(f"{file.relative_to(source)}: opens stickslip{'::' + name if name else ''}, its room is {room or 'stickslip itself'}")
    if files < 500:
        sys.exit(f"only {files} files read: the reading is broken")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{files} files are in the namespace of their folder")


main(pathlib.Path(sys.argv[1]))
