"""What was measured, as text for a terminal and as the tables of README.md and docs/speed.md."""
import math

COLUMNS = (("CVODE", ("CVODE",)), ("Boost.odeint", ("Boost.odeint",)), ("SciPy, Numba, NumPy", ("SciPy", "Numba", "NumPy")),
           ("Siconos, Octave", ("Siconos", "Octave")))


def three_digits(x):
    if not x:
        return "0"
    x = float(f"{x:.3g}")
    return f"{x:.{max(0, 2 - math.floor(math.log10(abs(x))))}f}"


def time_text(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= 0.9995 * scale or unit == "ns":
            return f"{three_digits(seconds / scale)} {unit}"


def rate_text(seconds):
    per_second = 1 / seconds
    digits = max(0, math.floor(math.log10(per_second)) - 2)
    return f"{round(per_second, -digits):,.0f}".replace(",", " ") + " /s"


def figure(row, seconds):
    return rate_text(seconds) if row["rate"] else time_text(seconds)


def error_text(error, unit=""):
    if error is None:
        return "exact" if not unit else "not measured"
    return (f"{error:.1e}" if error else "0") + (f" {unit}" if unit else "")


def ratio_text(ratio):
    return three_digits(ratio) if ratio < 100 else f"{ratio:.0f}"


def setting_text(line):
    return f", {line['setting']}" if line["setting"] else ""


def asked_text(row, standing):
    return f"error at most {standing['asked']:.0e} {row['unit']}".rstrip() if standing["asked"] is not None else ""


def row_text(row):
    """A block of the terminal's table."""
    out = []
    for standing in row["standings"]:
        asked = asked_text(row, standing)
        out.append(row["title"] + (f"; {asked}" if asked else ""))
        for line in standing["lines"]:
            low, high = (figure(row, line[k]) for k in ("low", "high"))
            name = line["contestant"] + setting_text(line)
            missed = "" if line["accurate"] else "  misses the error"
            times = "" if line["ratio"] is None else ratio_text(line["ratio"])
            out.append(f"  {name:<48} {figure(row, line['median']):>12}   {low} .. {high:<12} {line['runs']:>2} runs"
                       f"   {error_text(line['error'], row['unit']):<16} {times:>7}{missed}")
    out += [f"  {note}" for note in row["notes"]]
    return "\n".join(out) + "\n"


def curve_text(row):
    """Every setting that was tried: the work-precision curve of each contestant."""
    out = [f"{row['title']}: every setting"]
    for m in row["measured"]:
        if m["seconds"]:
            name = m["contestant"] + setting_text(m)
            out.append(f"  {name:<48} {figure(row, m['seconds'][0]):>12}   {error_text(m['error'], row['unit'])}")
    return "\n".join(out) + "\n"


def spread_text(line):
    if line["runs"] < 2:
        return ""
    return f" ±{math.ceil(50 * (line['high'] - line['low']) / line['median'])} %"


def cell(row, line):
    missed = "" if line["accurate"] else " (!)"
    error = f", {error_text(line['error'])}" if line["error"] is not None else ""
    return f"{figure(row, line['median'])}{spread_text(line)}{error}{missed}"


def ours_cell(row, lines):
    ours = [line for line in lines if line["ours"]]
    texts = []
    for line in ours:
        kind = line["contestant"].removeprefix("stickslip").strip()
        texts.append(f"{kind} {cell(row, line)}".strip() if len(ours) > 1 else cell(row, line))
    return "<br>".join(texts) or "–"


def rival_cell(row, lines, libraries):
    texts = []
    for line in lines:
        if line["library"] in libraries:
            name = f"{line['library']} " if len(libraries) > 1 else ""
            texts.append(f"{name}{cell(row, line)}: **{ratio_text(line['ratio'])}**")
    return "<br>".join(texts) or "–"


def markdown(report):
    out = ["| work | error asked | stickslip | " + " | ".join(title for title, _ in COLUMNS) + " |",
           "|---|---|---|" + "---|" * len(COLUMNS)]
    for row in report["rows"]:
        for standing in row["standings"]:
            asked = f"{standing['asked']:.0e} {row['unit']}" if standing["asked"] is not None else ""
            cells = [row["title"], asked, ours_cell(row, standing["lines"])]
            cells += [rival_cell(row, standing["lines"], libraries) for _, libraries in COLUMNS]
            out.append("| " + " | ".join(cells) + " |")
    if report.get("growth"):
        out += ["", "| cost grows with | from | to | contestant | exponent | smallest | largest |", "|---|---|---|---|---|---|---|"]
        for title, line in growth_lines(report["growth"]):
            out.append(f"| {title} | {line['from']} | {line['to']} | {line['contestant']} | {line['exponent']} | "
                       f"{line['smallest']} | {line['largest']} |")
    if report.get("instructions"):
        out += ["", "| instructions of one run (AVX2) | |", "|---|---|"]
        out += [f"| {entry['title']} | {entry['instructions']:.3g} |" for entry in report["instructions"]]
    out += ["", machine_text(report)]
    return "\n".join(out)


def summary(report):
    """A line per row and asked error: ours, and the quickest rival that is as accurate."""
    out = ["| work | error asked | stickslip | quickest rival | times ours |", "|---|---|---:|---:|---:|"]
    for row in report["rows"]:
        standing = row["standings"][0]
        ours = min((line for line in standing["lines"] if line["ours"]), key=lambda line: line["median"], default=None)
        rivals = [line for line in standing["lines"] if not line["ours"] and line["accurate"]]
        if ours is None or not rivals:
            continue
        rival = min(rivals, key=lambda line: line["ratio"])
        asked = f"{standing['asked']:.0e} {row['unit']}" if standing["asked"] is not None else "–"
        out.append(f"| {row['title']} | {asked} | {figure(row, ours['median'])} | {rival['library']} {figure(row, rival['median'])} | "
                   f"{ratio_text(rival['ratio'])} |")
    out += ["", machine_text(report)]
    return "\n".join(out)


def growth_lines(growth):
    """(title, texts) of every fitted exponent."""
    for g in growth:
        for line in g["lines"]:
            (first, quickest), (last, slowest) = line["points"][0], line["points"][-1]
            error = "" if line["standard_error"] is None else f" ± {line['standard_error']:.2f}"
            yield f"{g['variable']}: {g['title']}", {
                "from": f"{first:g}", "to": f"{last:g}", "contestant": line["contestant"],
                "exponent": f"{line['exponent']:.2f}{error}", "smallest": time_text(quickest), "largest": time_text(slowest)}


def growth_text(growth):
    out = ["How the cost grows: exponents of fits in log-log"]
    for title, line in growth_lines(growth):
        out.append(f"  {title:<58} {line['from']:>6} .. {line['to']:<7} {line['contestant']:<18} {line['exponent']:<14}"
                   f" {line['smallest']} .. {line['largest']}")
    out += [f"  {g['title']}: {note}" for g in growth for note in g["notes"]]
    return "\n".join(out) + "\n"


def instructions_text(counts):
    out = ["Instructions of one run (callgrind, AVX2)"]
    out += [f"  {c['title']:<44} {c['contestant'] + setting_text(c):<24} {c['instructions']:.4g}" for c in counts]
    return "\n".join(out) + "\n"


def machine_text(report):
    return f"{report['processor']}, one core, {report['compiler']}, {report['date']}, {report['rounds']} rounds."
