"""The races: what is measured, by which programs, at which error."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """One piece of work. Names of contestants are those of the programs; `ours` maps the names of benchmarks/<program>.cpp
    that are stickslip (regular expressions) to what the table calls them, and `theirs` those of rivals in the same program
    that need another name; a name that matches neither `ours`, `theirs` nor `libraries` takes no part."""
    key: str
    title: str
    program: str
    ours: dict
    asked: tuple = ()              # errors at which contestants are compared; none: all are exact
    error: str = "error"           # counter that holds it
    unit: str = ""
    theirs: dict = field(default_factory=dict)
    libraries: tuple = ("CVODE", "Boost.odeint")  # that the C++ program races against where they are installed
    scripts: tuple = ()            # rivals in other languages: a file of benchmarks/rivals and its arguments
    decades: float = 1             # a setting n of the C++ program is a relative tolerance of 10^(-n decades)
    per_second: str = ""           # counter: the program's own rate; the table then shows rates
    least: str = ""                # counter: the error is how far this lies above the least anybody found, relative
    counted: str = ""              # function whose instructions count; none: the whole benchmark
    same: str = ""                 # counter: the error is how far this lies from what rivals in other languages found, relative


STICK_SLIP = dict(unit="m", error="error_m", asked=(1e-5, 1e-7))

ROWS = (
    Row("hybrid", "stick-slip 30 s, ideal hybrid", "stick_slip_hybrid", {"stickslip": "stickslip"},
        scripts=(("scipy_stick_slip.py", "hybrid"), ("siconos_stick_slip.py",)), **STICK_SLIP),
    Row("lugre", "stick-slip 30 s, LuGre 1e5 N/m", "stick_slip_lugre", {"stickslip": "stickslip"},
        scripts=(("scipy_stick_slip.py", "lugre"),), **STICK_SLIP),
    Row("dual-clutch", "dual clutch 10 s, outputs every ms", "dual_clutch", {r"(stickslip exact|stickslip steps), 1 ms outputs": r"\1"},
        asked=(1e-5, 1e-7), theirs={r"(CVODE .*), 1 ms outputs": r"\1", r"(odeint .*), 1 ms outputs": r"Boost.\1"},
        unit="rad/s", counted="stickslip::simulate(stickslip::Mechanism*",
        scripts=(("scipy_dual_clutch.py",), ("siconos_dual_clutch.py",))),
    Row("chain", "friction chain of 100 bodies 10 s", "friction_chain", {r"stickslip (exact|steps)/100": r"stickslip \1/"},
        asked=(1e-6,), unit="rad/s", decades=0, theirs={r"(CVODE|Boost.odeint) (.*)/100": r"\1 \2/"},
        counted="stickslip::simulate(stickslip::Mechanism*", scripts=(("siconos_chain.py",),)),
    Row("tree", "friction tree of 300 clutches 10 s", "friction_tree", {r"stickslip exact/300": r"stickslip exact/"},
        asked=(1e-6,), unit="rad/s", decades=0, theirs={r"(CVODE|Boost.odeint) (.*)/300": r"\1 \2/"},
        counted="stickslip::simulate(stickslip::Mechanism*"),
    Row("nlr-cost", "NLR(4), 10 000 samples: costs", "identification", {"costs_nlr_4": "stickslip"}, libraries=(),
        per_second="costs_per_s", same="J", unit="of J", counted="stickslip::SeparableFit::costs_at*",
        scripts=(("numba_identification.py", "nlr-cost"),)),
    Row("nlr-search", "NLR(4), 10 000 samples: whole search", "identification", {"identify_nlr_4": "stickslip"},
        libraries=(), asked=(1e-4,), least="J", unit="above least J", counted="stickslip::fit_maxwell*",
        scripts=(("numba_identification.py", "nlr-search"),)),
    Row("lg-cost", "LuGre regression (LG), 10 000 samples: costs", "identification", {"costs_lg": "stickslip"}, libraries=(),
        per_second="costs_per_s", same="J", unit="of J", counted="stickslip::SeparableFit::costs_at*",
        scripts=(("numba_identification.py", "lg-cost"),)),
    Row("batch", "10 000 LuGre runs of 10 s", "batch_lugre",
        {"in_lanes/avx512": "stickslip AVX-512", "in_lanes/avx2": "stickslip AVX2", "in_lanes/baseline": "stickslip SSE2"},
        asked=(1e-4, 4e-5, 1e-6), error="worst_m", decades=0.25, unit="m", counted="stickslip::simulate_batch*",
        scripts=(("scipy_stick_slip.py", "batch"),)),
    Row("cylinder", "hydraulic cylinder 10 s", "hydraulic_cylinder", {"stickslip": "stickslip"}, asked=(4e-4, 4e-5, 1e-6),
        error="error_m", unit="m", decades=0.5, scripts=(("scipy_cylinder.py",), ("octave_cylinder.m",))),
    Row("servo", "servo-pendulum, 64 logs of 1200 steps", "servo_rollout", {"servo_rollout/64": "stickslip/"}, libraries=(),
        same="sum_of_last_angles", unit="of angles", counted="stickslip::ServoBatch::roll_out*", scripts=(("numpy_servo.py",),)),
)


@dataclass(frozen=True)
class Growth:
    """How a cost grows: benchmarks whose last argument is the variable."""
    title: str
    variable: str
    program: str
    ours: dict                     # as in a Row, and so is what follows
    theirs, libraries, per_second, error, least, same, decades = {}, (), "", "", "", "", 0


GROWTH = (
    Growth("friction chain 10 s", "bodies", "friction_chain",
           {"different: ((stickslip|CVODE|Boost.odeint) .*)": r"\1"}),
    Growth("friction tree 10 s", "clutches", "friction_tree",
           {"different: ((stickslip|CVODE|Boost.odeint) .*)": r"\1"}),
    Growth("NLR(4), 16 costs", "samples", "identification", {"costs_nlr_4_over_samples": "stickslip"}),
    Growth("DNLRX(4,3,2), 16 costs", "samples", "identification", {"costs_dnlrx_4_3_2_over_samples": "stickslip"}),
    Growth("LuGre regression (LG), 16 costs", "samples", "identification", {"costs_lg_over_samples": "stickslip"}),
    Growth("NLR(4), 10 000 samples", "candidates", "identification", {"costs_nlr_4_over_candidates": "stickslip"}),
    Growth("NLR(4), tables and whole search", "samples", "growth", {"NLR.4. search": "stickslip"}),
    Growth("LuGre runs of 10 s in lanes", "runs", "growth", {"LuGre batch": "stickslip"}),
    Growth("ideal stick-slip runs of 10 s in lanes", "runs", "batch_ideal", {"ideal batch": "stickslip"}),
    Growth("1000 LuGre runs of 10 s in lanes", "bristle stiffness N/m", "batch_lugre", {"LuGre batch stiffness": "stickslip"}),
    Growth("stick-slip 30 s, LuGre, rtol 1e-6", "bristle stiffness N/m", "growth",
           {"LuGre stiffness, stickslip": "stickslip", "LuGre stiffness, CVODE BDF": "CVODE BDF"}),
)


def rows_named(names):
    """The rows of these keys, in the table's order; all without names. A wrong name is a ValueError of one line."""
    known = [row.key for row in ROWS]
    for name in names:
        if name not in known:
            raise ValueError(f"no row '{name}'; there is {', '.join(known)}")
    return [row for row in ROWS if not names or row.key in names]
