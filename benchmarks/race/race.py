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
            self.programs.append(programs.Rival(folder, script, *arguments))
        self.shortest = 0.02 if quick else 0.05
        for program in self.programs:
            if program.missing:
                self.notes.append(f"{getattr(program, 'name', row.program)} needs {program.missing}: ./bench --rivals installs it")

    def contestants(self):
        return list(self.known.values())

    def pilot(self, patience):
        """Every setting once. A rival that takes longer than `patience` seconds in all has its other settings left out."""
        for source, program in enumerate(self.programs):
            if program.missing:
                continue
            if source == 0:
                names = [n for n in program.names() if results.label_of(self.row, n)]
                if names:
                    results.collect(self.row, program.turn(names, shortest=0.01), source, 0, self.known)
                continue
            begin = time.monotonic()
            for number, name in enumerate(program.settings):
                if time.monotonic() - begin > patience:
                    self.notes.append(f"{name.split('/')[0]}: not tried at {', '.join(n.rpartition('/')[2] for n in program.settings[number:])}; "
                                      f"what was tried before took {patience:g} s")
                    break
                programs.progress(f"{self.row.key}: {name}")
                results.collect(self.row, program.turn([name]), source, 0, self.known)
        found = {c.library for c in self.contestants()}
        self.notes += [f"{library} took no part; ./bench --rivals installs all rivals"
                       for library in self.row.libraries if library not in found]
        self.notes += sorted({f"{c.name}, {c.setting}: {c.failed}" for c in self.contestants() if c.failed})
        results.judge(self.row, self.contestants())
        self.chosen = list({id(c): c for asked in self.row.asked or (None,)
                            for c in results.choose(self.contestants(), asked)}.values())

    def turn(self, number, budget):
        """One measurement of each chosen contestant; who took `budget` seconds already, sits out."""
        for source, program in enumerate(self.programs):
            names = [c.program_name for c in self.chosen if c.source == source and c.spent <= budget]
            if names:
                results.collect(self.row, program.turn(names, shortest=self.shortest), source, number, self.known)
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
        program = programs.Compiled(folder, g.program)
        if program.missing:
            found.append({"title": g.title, "variable": g.variable, "notes": [program.missing], "lines": []})
            continue
        known = {}
        names = [n for n in program.names() if results.label_of(g, n)]
        for number in range(1, rounds + 1):
            programs.progress(f"growth: {g.title}, round {number} of {rounds}")
            if names:
                results.collect(g, program.turn(names, shortest=0.01), 0, number, known)
        lines = []
        for name in dict.fromkeys(c.name for c in known.values()):
            points = sorted((float(c.setting), c.median()) for c in known.values() if c.name == name and c.seconds)
            if len(points) > 1:
                p, error = results.slope(points)
                lines.append({"contestant": name, "exponent": p, "standard_error": error, "points": points})
        found.append({"title": g.title, "variable": g.variable, "notes": [] if lines else ["nothing measured"],
                      "lines": lines})
    programs.progress("")
    return found

