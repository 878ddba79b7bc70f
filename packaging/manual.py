"""manual.py PROGRAM > stickslip.1: the manual page, from what the program says of itself."""
import re
import subprocess
import sys


def said(*arguments):
    return subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, check=True).stdout


def plain(text):
    """Text as it stands, safe for troff."""
    lines = []
    for line in text.rstrip().splitlines():
        line = line.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
        lines.append("\\&" + line if line.startswith((".", "\\(aq")) else line)
    return ".nf\n" + "\n".join(lines) + "\n.fi\n"


top = said("--help")
version = said("--version").split()[-1]
names = re.findall(r"^  ([a-z-]+)  ", top[top.index("Subcommands:"):], re.M)
print(f'.TH STICKSLIP 1 "" "stickslip {version}" "User Commands"')
print(".SH NAME\nstickslip \\- models, simulates and identifies friction in machines")
print(".SH SYNOPSIS\n.B stickslip\n.I command\n[options]")
print(".SH DESCRIPTION\n" + plain(top), end="")
for name in names:
    print(f".SH {name.upper().replace('-', chr(92) + '-')}\n" + plain(said(name, "--help")), end="")
