"""The races themselves: a pilot finds each contestant's setting, then all take turns."""
import time

import programs
import results


class Race:
    """One row: its programs and everything they measured."""

    def __init__(self, row, folder, quick):
        self.row, self.known, self.notes = row, {}, []
        self.programs = [programs.Compiled(folder, row.program)]
        for script, *arguments in row.scripts:
            try:
                self.programs.append(programs.Rival(folder, script, *arguments))
            except RuntimeError as problem:
                self.notes.append(str(problem))
        self.shortest = 0.02 if quick else 0.05
        self.notes += [f"{rival.name} needs {rival.missing}; ./bench --rivals installs it"
                       for rival in self.programs if rival.missing]

    def contestants(self):
        return list(self.known.values())

    def ask(self, source, names, number, shortest=0.01):
        """One measurement of each of these. A rival that dies is named and takes no further part; ours may not die."""
        program = self.programs[source]
        try:
            results.collect(self.row, program.turn(names, shortest=shortest), source, number, self.known)
        except RuntimeError as problem:
            if source == 0:
                raise
            self.notes.append(str(problem))
            program.missing = "a new start"

    def pilot(self, patience):
        """Every setting once; then each contestant's best setting is known. A rival that takes longer than `patience` seconds in
        all has its other settings left out."""
        names = [n for n in self.programs[0].names() if results.label_of(self.row, n)]
        if names:
            self.ask(0, names, 0)
        for source in range(1, len(self.programs)):
            self.try_settings(source, patience)
        self.remark()
        results.judge(self.row, self.contestants())
        self.chosen = list({id(c): c for asked in self.row.asked or (None,)
                            for c in results.choose(self.contestants(), asked)}.values())

    def try_settings(self, source, patience):
        rival, begin = self.programs[source], time.monotonic()
        for number, name in enumerate(rival.settings):
            if rival.missing:
                return
            if time.monotonic() - begin > patience:
                left = ", ".join(n.rpartition("/")[2] for n in rival.settings[number:])
                self.notes.append(f"{name.rpartition('/')[0]}: not tried at {left}; the others took {patience:g} s")
                return
            programs.progress(f"{self.row.key}: {name}")
            self.ask(source, [name], 0)

    def remark(self):
        """Who is missing, and who gave up."""
        found = {c.library for c in self.contestants()}
        self.notes += [f"{library} took no part; ./bench --rivals installs all rivals"
                       for library in self.row.libraries if library not in found]
        self.notes += sorted({f"{c.name}, {c.setting}: {c.failed}" for c in self.contestants() if c.failed})

    def turn(self, number, budget):
        """One measurement of each chosen contestant; who took `budget` seconds already, sits out."""
        for source, program in enumerate(self.programs):
            names = [c.program_name for c in self.chosen if c.source == source and c.spent <= budget]
            if names and not program.missing:
                self.ask(source, names, number, self.shortest)
        results.judge(self.row, self.contestants())

    def close(self):
        for program in self.programs:
            program.close()

    def result(self):
        row = self.row
        return {"key": row.key, "title": row.title, "unit": row.unit, "rate": bool(row.per_second),
                "notes": self.notes,
                "standings": [results.standings(self.chosen, asked) for asked in row.asked or (None,)],
                "measured": [{"contestant": c.name, "setting": c.setting, "error": c.error, "seconds": c.seconds,
                              "rounds": c.rounds, "failed": c.failed, **c.figures} for c in self.contestants()]}


def run(rows, folder, rounds, budget, patience, quick):
    races = []
    try:
        for row in rows:
            programs.progress(f"{row.key}: each setting once")
            races.append(Race(row, folder, quick))
            races[-1].pilot(patience)
        for number in range(1, rounds + 1):
            for race in races:
                programs.progress(f"round {number} of {rounds}: {race.row.key}")
                race.turn(number, budget)
    finally:
        for race in races:
            race.close()
        programs.progress("")
    return [race.result() for race in races]


def grow(growth, folder, rounds):
    """Exponents: the median of each size over the rounds, then the slope in log-log."""
    found = []
    for g in growth:
        program, known = programs.Compiled(folder, g.program), {}
        names = [n for n in program.names() if results.label_of(g, n)]
        for number in range(1, rounds + 1 if names else 1):
            programs.progress(f"growth: {g.title}, round {number} of {rounds}")
            results.collect(g, program.turn(names, shortest=0.01), 0, number, known)
        lines = [line for name in dict.fromkeys(c.name for c in known.values())
                 if (line := exponent(name, known.values()))]
        found.append({"title": g.title, "variable": g.variable, "lines": lines,
                      "notes": [] if lines else ["nothing measured"]})
    programs.progress("")
    return found


def exponent(name, contestants):
    """The line of one contestant; None where it ran at one size only."""
    points = sorted((float(c.setting), c.median()) for c in contestants if c.name == name and c.seconds)
    if len(points) < 2:
        return None
    p, error = results.slope(points)
    return {"contestant": name, "exponent": p, "standard_error": error, "points": points}
