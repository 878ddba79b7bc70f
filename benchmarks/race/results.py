"""What the programs measured: reading it, choosing settings, summing it up."""
import math
import re
import statistics
from dataclasses import dataclass, field

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
DECORATION = re.compile(r"/(manual_time|process_time|real_time|(iterations|repeats|threads):\d+)")


@dataclass
class Contestant:
    """One contestant at one setting, and every time it was measured."""
    name: str       # "CVODE Adams, rootfinding"
    setting: str    # "7"; empty where there is none
    program_name: str  # what the program calls it
    source: int = 0    # which of the row's programs
    error: float = None
    figures: dict = field(default_factory=dict)
    seconds: list = field(default_factory=list)
    rounds: list = field(default_factory=list)  # number of the round of each time; the pilot is round 0
    spent: float = 0  # seconds of the processor, all told
    failed: str = ""

    @property
    def library(self):
        """Contestants of one library compete for one place of the table; of ours every kind has its own."""
        return self.name if self.is_ours else self.name.split()[0].rstrip(",")

    @property
    def is_ours(self):
        return self.name.startswith("stickslip")

    def kept(self):
        """The times that count: the rounds', or the pilot's where there are none."""
        later = [s for s, r in zip(self.seconds, self.rounds) if r > 0]
        return later or self.seconds

    def median(self):
        return statistics.median(self.kept())

    def quartiles(self):
        times = self.kept()
        if len(times) < 2:
            return times[0], times[0]
        low, _, high = statistics.quantiles(times, n=4, method="inclusive")
        return low, high


def split_name(name, decades=0):
    """'CVODE BDF/7/manual_time' is 'CVODE BDF' at setting '7', or 'rtol 1e-7' if 7 counts decades."""
    name, slash, setting = DECORATION.sub("", name).rpartition("/")
    if not slash:
        return setting, ""
    if decades and setting:
        setting = f"rtol {10 ** (-float(setting) * decades):.0e}"
    return name, setting


def label_of(row, name):
    """What the row calls a benchmark of its program; None: it takes no part."""
    plain = DECORATION.sub("", name)
    for patterns in (row.ours, row.theirs):
        for pattern, label in patterns.items():
            found = re.fullmatch(rf"({pattern})(/[\d.e+-]+)?", plain)
            if found:
                whole = re.fullmatch(pattern, found.group(1))
                return whole.expand(label) + ("" if label.endswith("/") else found.groups()[-1] or "")
    if not row.theirs and plain.split()[0].rstrip(",") in row.libraries:
        return plain
    return None


def figures_of(row, entry):
    """Seconds and error of one measurement: an entry of Google Benchmark's JSON, or an answer of a rival."""
    if "seconds" in entry:
        seconds = entry["seconds"]
    elif row.per_second and row.per_second in entry:
        seconds = 1 / entry[row.per_second]
    else:
        kind = "real_time" if "manual_time" in entry["name"] else "cpu_time"
        seconds = entry[kind] * SECONDS[entry["time_unit"]]
    return seconds, entry.get(row.error, entry.get("error"))


def collect(row, entries, source, round_number, known):
    """Adds measurements of one program to `known`: (source, name of the program) -> Contestant."""
    for entry in entries:
        if entry.get("run_type", "iteration") != "iteration":
            continue
        label = label_of(row, entry["name"]) if source == 0 else entry["name"]
        if label is None:
            continue
        found = known.get((source, entry["name"]))
        if found is None:
            name = split_name(label, 0 if source else row.decades)
            found = known[source, entry["name"]] = Contestant(*name, entry["name"], source)
        failed = entry.get("failed") or (entry.get("error_message", "failed") if entry.get("error_occurred") else "")
        if failed:
            found.failed = failed
            continue
        seconds, error = figures_of(row, entry)
        found.seconds.append(seconds)
        found.rounds.append(round_number)
        found.spent += entry.get("spent", entry.get("cpu_time", 0) * entry.get("iterations", 0) * SECONDS[entry.get("time_unit", "s")])
        found.error = error
        for figure in (row.least, row.same):
            if figure in entry:
                found.figures[figure] = entry[figure]


def judge(row, contestants):
    """Where the error is how far a figure lies above the least of all, or from what the rivals in other languages computed."""
    figure = row.least or row.same
    known = [c for c in contestants if figure in c.figures]
    references = [c.figures[figure] for c in known if row.least or c.source > 0]
    for c in known if references else []:
        c.error = abs(c.figures[figure] / min(references) - 1)


def choose(contestants, asked):
    """Per library its fastest setting with an error of at most `asked`, else its most accurate one. None asks for nothing."""
    best = {}
    for c in contestants:
        if not c.seconds:
            continue
        good = asked is None or (c.error is not None and c.error <= asked)
        rank = (not good, 0.0 if good else (math.inf if c.error is None else c.error), c.median())
        if c.library not in best or rank < best[c.library][0]:
            best[c.library] = (rank, c)
    return [c for _, c in best.values()]


def ratio(theirs, ours):
    """How many times longer: the median over rounds that both took part in, else the ratio of medians."""
    by_round = dict(zip(ours.rounds, ours.seconds))
    both = [t / by_round[r] for t, r in zip(theirs.seconds, theirs.rounds) if r > 0 and r in by_round]
    return statistics.median(both) if both else theirs.median() / ours.median()


def standings(contestants, asked):
    """The row at one error: ours first (fastest first), then rivals by time; each with its ratio and whether it is accurate enough."""
    chosen = choose(contestants, asked)
    good = [c for c in chosen if c.is_ours and (asked is None or (c.error is not None and c.error <= asked))]
    best = min(good or [c for c in chosen if c.is_ours], key=Contestant.median, default=None)
    lines = []
    for c in sorted(chosen, key=lambda c: (not c.is_ours, c.median())):
        low, high = c.quartiles()
        lines.append({"contestant": c.name, "setting": c.setting, "program_name": c.program_name, "median": c.median(), "low": low, "high": high,
                      "runs": len(c.kept()), "error": c.error, "accurate": asked is None or (c.error or 0) <= asked,
                      "ratio": ratio(c, best) if best else None, "ours": c.is_ours, "library": c.library})
    return {"asked": asked, "lines": lines}


def slope(points):
    """The exponent p of cost ~ n^p by least squares in log-log, and its standard error (None for two points)."""
    xs, ys = [math.log(n) for n, _ in points], [math.log(t) for _, t in points]
    if len(set(xs)) < 2:
        raise ValueError("an exponent needs two different sizes")
    mx, my = statistics.fmean(xs), statistics.fmean(ys)
    sxx = sum((x - mx) ** 2 for x in xs)
    p = sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sxx
    if len(points) < 3:
        return p, None
    left = sum((y - my - p * (x - mx)) ** 2 for x, y in zip(xs, ys))
    return p, math.sqrt(left / (len(points) - 2) / sxx)
