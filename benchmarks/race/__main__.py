"""The races of ./bench: measures rows, growth and instruction counts, prints tables, writes all as JSON."""
import argparse
import dataclasses
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import programs
import race
import results
import rows
import tables

ROOT = Path(__file__).resolve().parents[2]
NEVER = 1e9


def fail(text, code=2):
    print(f"stickslip: {text}", file=sys.stderr)
    sys.exit(code)


def arguments():
    parser = argparse.ArgumentParser(prog="./bench", add_help=False)
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--programs", default=ROOT / "build/benchmark", type=Path)
    parser.add_argument("--json", default=ROOT / "build/bench.json", type=Path)
    for flag in ("quick", "growth", "instructions", "curves", "markdown", "markdown-summary", "check"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.error = lambda text: fail(f"./bench: {text}; ./bench --help tells more")
    return parser.parse_args()


def processor():
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    name = re.search(r"^model name\s*:\s*(.*)$", text, re.M)
    flags = re.search(r"^flags\s*:\s*(.*)$", text, re.M)
    known = flags.group(1).split() if flags else []
    widest = "AVX-512" if "avx512f" in known else "AVX2" if "avx2" in known else "no AVX2"
    return f"{name.group(1) if name else 'unknown processor'} ({widest})"


def compiler(folder):
    cache = folder / "CMakeCache.txt"
    found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache.read_text(), re.M) if cache.exists() else None
    program = found.group(1) if found else "g++"
    return subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split("\n")[0]


def count_instructions(wanted, folder):
    """Of ours in every row, at the setting of its first asked error; AVX-512 does not exist under callgrind."""
    if not shutil.which("valgrind"):
        fail("callgrind is missing; ./bench --rivals installs valgrind")
    alone = [dataclasses.replace(row, scripts=()) for row in wanted]
    counts = []
    for row, result in zip(alone, race.run(alone, folder, rounds=0, budget=0, patience=0, quick=True)):
        line = next(c for c in result["standings"][0]["lines"] if c["ours"] and "AVX-512" not in c["contestant"])
        programs.progress(f"instructions: {row.key}")
        found = programs.instructions(folder, row.program, results.DECORATION.sub("", line["program_name"]), row.counted)
        counts.append({"title": row.title + (" (80 at once)" if row.per_second else ""), "instructions": found,
                       "contestant": line["contestant"], "setting": line["setting"]})
    programs.progress("")
    return counts


def write_whole(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text)
    os.replace(fresh, path)


def print_markdown(path, table):
    """A block of the documentation from the last run, which must have measured every row."""
    if not path.exists():
        fail(f"no {path.name} in {path.parent}; ./bench measures it", 1)
    report = json.loads(path.read_text())
    missing = [row.key for row in rows.ROWS if row.key not in [r["key"] for r in report["rows"]]]
    if missing:
        fail(f"the last run left out {', '.join(missing)}; run ./bench without names", 1)
    print(table(report))


def main():
    args = arguments()
    if args.markdown or args.markdown_summary:
        return print_markdown(args.json, tables.markdown if args.markdown else tables.summary)
    try:
        wanted = rows.rows_named(args.rows)
    except ValueError as problem:
        fail(str(problem))
    if args.check:  # of the words alone
        return
    only_a_part = args.growth or args.instructions
    rounds = 5 if args.quick else 11
    programs.keep_to_one_core()
    report = {"date": datetime.date.today().isoformat(), "processor": processor(), "compiler": compiler(args.programs),
              "load": os.getloadavg(), "rounds": rounds, "rows": [], "growth": [], "instructions": []}
    if args.instructions:
        report["instructions"] = count_instructions(wanted, args.programs)
        print(tables.instructions_text(report["instructions"]))
    if not only_a_part:
        report["rows"] = race.run(wanted, args.programs, rounds, budget=1 if args.quick else 5,
                                  patience=6 if args.quick else 40, quick=args.quick)
        for row in report["rows"]:
            print(tables.row_text(row))
            if args.curves:
                print(tables.curve_text(row))
    if args.growth or not (args.rows or args.instructions or args.quick):
        report["growth"] = race.grow(rows.GROWTH, args.programs, 3)
        print(tables.growth_text(report["growth"]))
    print(tables.machine_text(report))
    write_whole(args.json, json.dumps(report, indent=1, ensure_ascii=False) + "\n")


try:
    main()
except KeyboardInterrupt:
    fail("stopped", 130)
except (RuntimeError, OSError) as problem:
    fail(str(problem), 1)
