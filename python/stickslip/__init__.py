"""Friction: models, exact stick and slip, identification from recordings.

    import stickslip
    found = stickslip.identify("axis.csv", mass="20 kg")     # which model, which parameters, how well known
    found.report("axis.html")
    found.save("axis.model.toml")
    run = stickslip.simulate("axis.toml")                      # any machine file; columns as NumPy arrays
    motion = stickslip.machine("axis.toml").motion()           # held: live inputs, stepped, saved, cloned

Everything is SI, or a text with its unit ("20 kg"); friction is positive against positive velocity. Wrong input raises
stickslip.Error with one line; what is noticed is a stickslip.DataWarning. Long calls let other threads run, take
progress(what, share) and end on Ctrl-C.
"""
from __future__ import annotations

import os
import sys
from importlib.util import find_spec as _find
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Optional, Sequence, Union

try:
    from . import _core
except ImportError as _problem:
    _built = sorted(name for name in os.listdir(os.path.dirname(__file__)) if name.startswith("_core.") and name.endswith(".so"))
    if not _built:
        raise ImportError(
            "stickslip's compiled part is missing; `./stickslip python` builds it and says how to use it"
        ) from _problem
    raise ImportError(
        f"stickslip was built as {_built[0]}, which Python {sys.version.split()[0]} at {sys.executable} cannot load "
        f"({_problem}); start Debian's own Python, /usr/bin/python3"
    ) from _problem
if _find("numpy") is None:
    raise ImportError(
        f"stickslip needs NumPy, which Python {sys.version.split()[0]} at {sys.executable} does not have; start Debian's own Python, "
        "/usr/bin/python3, or install NumPy for this one"
    )

from . import models
from ._core import (
    Compensation, Curve, DataWarning, Error, Event, Export, Finding, Fitted, Friction, Generated, Identification, IdentifiedList,
    Likelihood, Machine, MachineFit, ModelFile, ModelInfo, Motion, Parameter, ParameterInfo, Plan, Prepared, Quality, Recording, Run, Scorecard, Stepper, Sweep,
    Validation, VirtualBench, __version__, instructions, parse_model, read_model, si,
)

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Number = Union[float, str]  # SI, or a text with its unit
    Path = Union[str, "os.PathLike[str]"]
    Columns = Mapping[str, ArrayLike]
    Source = Union[Path, bytes, Columns, "pd.DataFrame", Recording]
    Progress = Callable[[str, float], object]

__all__ = [
    "Compensation", "Curve", "DataWarning", "Error", "Event", "Export", "Finding", "Fitted", "Friction", "Generated", "Identification",
    "IdentifiedList", "Likelihood", "Machine", "MachineFit", "ModelFile", "ModelInfo", "Motion", "Parameter", "ParameterInfo", "Plan", "Prepared", "Quality",
    "Recording", "Run", "Scorecard", "Stepper", "Sweep", "Validation", "VirtualBench", "__version__", "batch", "batch_models", "breakaway_test",
    "check", "compensate", "contact", "curve", "export", "film_test", "generate", "identify", "identify_axes", "identify_each",
    "identify_machine", "inspect", "instructions",
    "known_machines", "machine", "models", "parse_model", "plan", "prepare", "read", "read_model", "si", "simulate", "sine_test",
    "slider", "sweep", "to_pandas", "validate", "virtual_bench",
]


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _word(source: object) -> str:
    if isinstance(source, (str, os.PathLike)):
        return repr(os.fspath(source))
    if isinstance(source, (list, tuple)):
        return f"[{', '.join(map(_word, source))}]"
    return "..."


def _call(name: str, source: object, options: Mapping[str, Any]) -> str:
    """How to repeat a call, for reports and model files."""
    words = [_word(source)] if source is not None else []
    for key, value in options.items():
        if isinstance(value, (str, int, float, bool, list, tuple, dict)):
            words.append(f"{key}={value!r}")
    return f"stickslip.{name}({', '.join(words)})"


# --- recordings ---------------------------------------------------------------------------------------------------------


def read(
    source: Source, *, name: Optional[str] = None, units: Optional[Mapping[str, str]] = None,
    time: Optional[str] = None, position: Optional[str] = None, velocity: Optional[str] = None, force: Optional[str] = None,
    load: Optional[str] = None, pressure: Optional[str] = None,
    temperature: Optional[str] = None, gains: Optional[Mapping[str, str]] = None,
    let: Optional[Mapping[str, Number]] = None, torque_constant: Optional[str] = None, gear: Optional[Number] = None,
    pitch: Optional[str] = None, counts_per_turn: Optional[Number] = None, encoder: Optional[str] = None,
    resistance: Optional[str] = None, back_emf: Optional[str] = None,
    rate: Optional[Number] = None, names: Optional[Sequence[str]] = None, where: Optional[Mapping[str, object]] = None,
    missing: Optional[str] = None, delimiter: Optional[str] = None, decimal: Optional[str] = None,
    skip_lines: Optional[int] = None, need: Optional[Sequence[str]] = None, like: Optional[ModelFile] = None,
) -> Recording:
    """A recording from a file (CSV and other text tables, .mat, .npz), its bytes, arrays by name, or a pandas.DataFrame.

    Roles and units are found by the headings ("force_N", "F [kN]") or named: force="vir", gains={"force": "35.15 N/V"},
    units={"F": "kN"}, or calculated: force="p1*A1 - p2*A2", let={"A1": "12 cm^2", "A2": "8 cm^2"}. Of a drive:
    torque_constant="0.05 N m/A" for a current, resistance and back_emf for a voltage, gear=50, pitch="5 mm",
    counts_per_turn=4096, encoder="motor" or "load". like=model reads as the model's own recording was. `name` stands in messages; that of bytes ends as their file would ("log.mat").
    where={"run": 3} keeps some rows; missing is "refuse", "drop" or "interpolate"; need=[] asks for no role.
    Arrays are copied once, into the recording; its columns are then seen without a copy. An index that has a name or holds instants is
    a column, too; instants (datetime64, timedelta64) are taken in seconds.
    """
    options = _given(
        time=time, position=position, velocity=velocity, force=force, load=load, pressure=pressure,
        temperature=temperature, gains=gains, let=let,
        torque_constant=torque_constant, gear=gear, pitch=pitch, counts_per_turn=counts_per_turn, encoder=encoder,
        resistance=resistance, back_emf=back_emf, rate=rate, names=names, where=where, missing=missing, delimiter=delimiter,
        decimal=decimal, skip_lines=skip_lines, need=need, like=like,
    )
    if isinstance(source, Recording):
        stated = [key for key in (*options, *(["units"] if units else [])) if key not in ("need", "like")]
        if stated:
            raise Error(f"{source.file}: {stated[0]} says how a file or arrays are read; this recording has been read already")
        return source
    if units and isinstance(source, (bytes, bytearray, memoryview, str, os.PathLike)):
        raise Error("units are those of arrays and DataFrames; a file's are stated with the heading: force='F [kN]'")
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _core.read_bytes(bytes(source), name or "recording", **options)
    if isinstance(source, (str, os.PathLike)):
        if str(source).endswith(".toml"):
            raise Error(f"{source}: a recording is needed, not a TOML file; identify_machine() takes the job file of a machine")
        return _core.read_file(source, **options)
    from . import _frames  # needs NumPy, which takes longer to import than all the rest

    frame: Any = source
    if hasattr(frame, "to_numpy") and hasattr(frame, "columns"):  # pandas
        source = _frames.columns_of_frame(frame, name or "recording")
    if not isinstance(source, Mapping):
        raise TypeError(f"a recording is a path, bytes, arrays by name or a DataFrame, not {type(source).__name__}")
    for key in units or {}:
        if key not in source:
            raise Error(f"{name or 'recording'}: units: no column '{key}'; there is {', '.join(map(str, source))}")
    columns, units = _frames.with_seconds(source, units or {}, name or "recording")
    return _core.read_arrays(columns, units, name or "recording", **options)


def inspect(source: Source, **reading: Any) -> Recording:
    """What a recording holds, how well it was sampled, and what looks wrong with it: print the result. Options as of read()."""
    reading.setdefault("need", [])
    return read(source, **reading)


def prepare(
    source: Source, *, start: Optional[Number] = None, stop: Optional[Number] = None, rate_hz: Optional[Number] = None,
    cutoff_hz: Optional[Number] = None, force_cutoff_hz: Optional[Number] = None, filter_order: Optional[int] = None,
    use_velocity: bool = False, lag: Optional[Number] = None, find_lag: bool = False, mass: Optional[Number] = None,
    offset: Optional[Number] = None, find_offset: bool = False, invert_force: Optional[bool] = None,
    resolution: Optional[Number] = None, **reading: Any,
) -> Prepared:
    """A recording made ready for a fit: an even grid, the motion with its derivatives, and the friction force.

    `mass` is that whose inertia is in the force: friction = force - mass * acceleration. `cutoff_hz` of the motion is chosen
    from its noise unless it is given; infinity: no filter. Other options as of read().
    """
    invert_force = reading.pop("turn_force", invert_force)  # its former word
    return _core.prepare(read(source, **reading), **_given(
        start=start, stop=stop, rate_hz=rate_hz, cutoff_hz=cutoff_hz, force_cutoff_hz=force_cutoff_hz,
        filter_order=filter_order, use_velocity=use_velocity, lag=lag, find_lag=find_lag, mass=mass, offset=offset,
        find_offset=find_offset, invert_force=invert_force, resolution=resolution))


def generate(
    what: str, *, seed: int = 1, noise: Optional[Number] = None, position_noise: Optional[Number] = None,
    resolution: Optional[Number] = None, force_resolution: Optional[Number] = None, lag: Optional[Number] = None,
    offset: Optional[Number] = None, rate: Optional[Number] = None, duration: Optional[Number] = None,
    half_range: Optional[Number] = None, friction: Optional[ModelFile] = None, friction_force: bool = False,
    long: bool = False, command: Optional[str] = None, progress: Optional[Progress] = None,
) -> Generated:
    """A recording of a known machine (known_machines()) or of a scenario file of one body, with its truth."""
    options = _given(
        seed=seed, noise=noise, position_noise=position_noise, resolution=resolution, force_resolution=force_resolution,
        lag=lag, offset=offset, rate=rate, duration=duration, half_range=half_range, friction=friction)
    command = command or _call("generate", what, options)
    return _core.generate(os.fspath(what), progress, friction_force=friction_force, long=long, command=command, **options)


def known_machines() -> dict[str, str]:
    """The machines that generate() knows, and what each is."""
    return _core.known_machines()


# --- identification -----------------------------------------------------------------------------------------------------


def _all(sources: Union[Source, Sequence[Source], None], reading: Mapping[str, Any]) -> list[Recording]:
    if sources is None:
        return []
    if isinstance(sources, (list, tuple)):
        return [read(source, **reading) for source in sources]
    return [read(sources, **reading)]  # type: ignore[arg-type]


def identify(
    source: Union[Source, Sequence[Source]], *, models: Union[str, Sequence[str], None] = None, quick: bool = False,
    explore: bool = False, together: bool = False, private: Union[str, Sequence[str], None] = None, seed: int = 1, threads: int = 0,
    search: str = "standard", per_direction: bool = False, over: Union[str, Sequence[str], None] = None,
    backlash: bool = False, fit_lag: bool = False, fit_offset: bool = True, most_operators: int = 10,
    fix: Optional[Mapping[str, Number]] = None, prior: Optional[Mapping[str, Union[str, tuple[float, float]]]] = None,
    loss: str = "squares", start_from: Union[Path, Sequence[Path], None] = None, bootstrap: int = 0,
    profile: Union[str, Sequence[str], None] = None,
    validation: Union[Source, Sequence[Source], None] = None, test: Union[Source, Sequence[Source], None] = None,
    split: Optional[Sequence[float]] = None, split_by: Optional[str] = None,
    estimation_values: Optional[Sequence[object]] = None, validation_values: Optional[Sequence[object]] = None,
    test_values: Optional[Sequence[object]] = None,
    start: Optional[Number] = None, stop: Optional[Number] = None, rate_hz: Optional[Number] = None,
    cutoff_hz: Optional[Number] = None, force_cutoff_hz: Optional[Number] = None, filter_order: Optional[int] = None,
    use_velocity: bool = False, lag: Optional[Number] = None, find_lag: bool = False, mass: Optional[Number] = None,
    offset: Optional[Number] = None, find_offset: bool = False, invert_force: Optional[bool] = None,
    resolution: Optional[Number] = None, gravity: bool = False, cogging: Optional[Number] = None,
    load_knots: Optional[int] = None, output: Optional[Path] = None, csv: Optional[Path] = None,
    mat: Optional[Path] = None, report: Optional[Path] = None, resume: bool = False, long: bool = False, command: Optional[str] = None,
    progress: Optional[Progress] = None, **reading: Any,
) -> Identification:
    """The friction model that fits a recording, or several together, with confidence intervals for its parameters.

    models: "lugre", ["stribeck", "maxwell-slip(4)"]; None tries every one that the columns allow, quick=True the seven usual ones. Same
    seed, same bytes. mass="find", or none at all where inertia is plainly there, takes it from the recording; "20 +- 1 kg" is a mass known
    with that standard deviation; gravity, cogging="10 mm" and load_knots look for a load over position. explore=True asks what the
    errors follow; together=True what each of several recordings says: see Identification.together; private=["coulomb_force", "offset"]
    lets each of them have these for itself: data["private"] has the values and their spread from recording to recording.
    validation and test are recordings of their own; otherwise the samples are divided, as `split` says: (50, 25, 25).
    over="load" lets levels follow a quantity; fix={"stribeck_exponent": 2} holds what is known;
    prior={"coulomb_force": "20 +- 2 N"}, or (20, 2) in SI, is known with a standard deviation: one more measurement;
    loss="robust" lets outliers of the force count by their size, not its square;
    start_from="curve.model.toml" (a bench test's model, or an earlier one) is one more start of every law that has its parameters.
    output, csv, mat and report are files to write. While it runs, what was done is kept beside `output`: after Ctrl-C the same call
    with resume=True resumes from there.
    Preparation (mass, cutoff_hz, ...) as of prepare(), reading (force="vir", gains=...) as of read().
    """
    invert_force = reading.pop("turn_force", invert_force)  # its former word
    starts = [start_from] if isinstance(start_from, (str, os.PathLike)) else start_from or ()
    options = _given(
        models=models, quick=quick, explore=explore, together=together, private=private, seed=seed, threads=threads, search=search,
        per_direction=per_direction, over=over, backlash=backlash,
        fit_lag=fit_lag, fit_offset=fit_offset, most_operators=most_operators, fix=fix or None, prior=prior or None, loss=loss,
        start_from=[os.fspath(file) for file in starts] or None,
        bootstrap=bootstrap, profile=profile, split=list(split) if split is not None else None, split_by=split_by,
        estimation_values=estimation_values, validation_values=validation_values, test_values=test_values, start=start,
        stop=stop, rate_hz=rate_hz, cutoff_hz=cutoff_hz, force_cutoff_hz=force_cutoff_hz, filter_order=filter_order,
        use_velocity=use_velocity, lag=lag, find_lag=find_lag, mass=mass, offset=offset, find_offset=find_offset,
        invert_force=invert_force, resolution=resolution, gravity=gravity, cogging=cogging, load_knots=load_knots, output=output,
        csv=csv, mat=mat, report=report)
    if command is None:
        usual = {"threads", "output", "csv", "mat", "report"}
        asked = {k: v for k, v in options.items() if k not in usual and not _is_same(v, _presets(identify).get(k))}
        command = _call("identify", source, {**asked, **reading})
    return _core.identify(
        _all(source, reading), _all(validation, reading) or None, _all(test, reading) or None, progress, resume=resume,
        long=long, command=command, **options)


def _and_reading(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What says how files are read (as of read()), and the rest."""
    reading = {key: options.pop(key) for key in list(options) if key in _presets(read)}
    return _given(**options), _given(**reading)


def identify_each(
    sources: Sequence[Path], folder: Path = ".", *, progress: Optional[Progress] = None, **options: Any,
) -> IdentifiedList:
    """Each recording of a list by itself: a fleet of axes, a shift's logs.

    A model file and a report per recording and identified.csv are written to `folder`. After Ctrl-C the same call with resume=True goes
    on. A recording that cannot be used is a row that says why. Options as of identify(), but for those of several recordings.
    """
    if isinstance(sources, (str, os.PathLike)):
        sources = [sources]
    command = options.pop("command", None) or _call("identify_each", sources, options)
    own, reading = _and_reading(options)
    return _core.identify_each([os.fspath(s) for s in sources], folder, progress, command=command, **own, **reading)


def identify_axes(
    source: Path, axes: Union[str, Sequence[object]] = "*", *, progress: Optional[Progress] = None, **options: Any,
) -> dict[str, Identification]:
    """Several axes of one file: {"1": Identification, ...}; # stands for the axis in headings: position="q#", force="tau#".

    axes is "*" for all that the file has, or a list. mass, gains and numbers of the drive may have a part for each axis:
    torque_constant="0.11 N m/A; 0.07 N m/A". output="arm.model.toml" writes arm-1.model.toml, arm-2.model.toml, ... Other options as
    of identify().
    """
    if not isinstance(axes, str):
        axes = ",".join(map(str, axes))
    command = options.pop("command", None) or _call("identify_axes", source, {"axes": axes, **options})
    own, reading = _and_reading(options)
    return _core.identify_axes(source, axes, reading, progress, command=command, **own)


def identify_machine(
    job: Path, *, recordings: Union[Path, Sequence[Path]] = (), output: Optional[Path] = None, threads: int = 0,
    report: Optional[Path] = None, csv: Optional[Path] = None, progress: Optional[Progress] = None,
) -> MachineFit:
    """Parameters of a machine from its logs, as a job file says: mass, gains, lag and friction at once.

    recordings are logs instead of the job's own. output, csv and report are files to write; Ctrl-C ends it. docs/machine_logs.md is
    the reference of job files.
    """
    given = [recordings] if isinstance(recordings, (str, os.PathLike)) else list(recordings)
    command = _call("identify_machine", job, {"recordings": [os.fspath(r) for r in given]} if given else {})
    found = _core.identify_machine(
        job, [os.fspath(r) for r in given], progress, command=command, **_given(threads=threads, output=output))
    if output is not None:
        found.save(output)
    if csv is not None:
        found.csv(csv)
    if report is not None:
        found.report(report)
    return found


def _is_same(value: Any, preset: Any) -> bool:
    return type(value) is type(preset) and bool(value == preset)  # an array has no single answer, and is no preset


def _presets(function: Callable[..., Any]) -> dict[str, Any]:
    return dict(function.__kwdefaults__ or {})


def validate(model: Union[ModelFile, Path], source: Source, **options: Any) -> Validation:
    """Validation of a stored model on another recording. bool(result) says whether it holds.

    Columns, gains and preparation are those of the model's own recording unless options (as of read() and prepare()) say
    otherwise.
    """
    if not isinstance(model, ModelFile):
        model = read_model(model)
    if "turn_force" in options:  # its former word
        options["invert_force"] = options.pop("turn_force")
    preparation = {key: options.pop(key) for key in list(options) if key in _presets(prepare)}
    return _core.validate(model, read(source, like=model, **options), **_given(**preparation))


def curve(
    source: Union[Source, Sequence[Source]], *, each: Optional[str] = None, whole: bool = False, over: Optional[str] = None,
    degree: int = 1, forms: Union[str, Sequence[str], None] = None, tolerance: Optional[Number] = None,
    shortest: Optional[Number] = None, slowest: Optional[float] = None, offset: Optional[bool] = None, invert_force: bool = False,
    start: Optional[Number] = None, stop: Optional[Number] = None, **reading: Any,
) -> Curve:
    """Friction over speed, per direction, from recordings at constant speed.

    each="speed" divides a file into recordings of their own by the values of a column; over="load" lets levels follow it.
    offset=True subtracts the force that is the same in both directions, a constant load; by default only where friction would
    otherwise drive the motion.
    """
    invert_force = reading.pop("turn_force", invert_force)  # its former word
    recordings, files, reading = _in_hand_or_files(source, reading)
    if each is not None and recordings:
        raise Error("each divides files; recordings in hand are divided by where={...} when they are read")
    options = _given(
        each=each, whole=whole, over=over, degree=degree, forms=forms, tolerance=tolerance, shortest=shortest, slowest=slowest,
        offset=offset, invert_force=invert_force, start=start, stop=stop, **reading)
    return _core.curve(recordings, files, command=_call("curve", source, options), **options)


def _in_hand_or_files(
    source: Union[Source, Sequence[Source]], reading: dict[str, Any]
) -> tuple[list[Recording], list[Any], dict[str, Any]]:
    """Files are left to the test, which reads them itself; anything else is read here."""
    sources: list[Any] = list(source) if isinstance(source, (list, tuple)) else [source]
    if all(isinstance(s, (str, os.PathLike)) for s in sources):
        return [], sources, reading
    return [read(s, **reading) for s in sources], [], {}


def _friction_of(friction: Union[ModelFile, Path, None]) -> Optional[ModelFile]:
    return friction if friction is None or isinstance(friction, ModelFile) else read_model(friction)


def breakaway_test(
    source: Union[Source, Sequence[Source]], *, mass: Optional[Number] = None, coulomb: Optional[Number] = None,
    stribeck_velocity: Optional[Number] = None, friction: Union[ModelFile, Path, None] = None,
    resolution: Optional[Number] = None, rest_time: Optional[Number] = None, backlash: Optional[Number] = None,
    points: bool = False, start: Optional[Number] = None, stop: Optional[Number] = None, **reading: Any,
) -> Finding:
    """The breakaway force from force ramps, with its error bound where the mass is given. Other options as of read()."""
    recordings, files, reading = _in_hand_or_files(source, reading)
    options = _given(
        mass=mass, coulomb=coulomb, stribeck_velocity=stribeck_velocity, resolution=resolution, rest_time=rest_time,
        backlash=backlash, points=points, start=start, stop=stop, **reading)
    return _core.breakaway_test(
        recordings, files, command=_call("breakaway_test", source, options), friction=_friction_of(friction), **options)


def sine_test(
    source: Union[Source, Sequence[Source]], *, each: Optional[str] = None, frequency: Optional[Number] = None,
    settling_periods: Optional[int] = None, mass: Optional[Number] = None, stiction: Optional[Number] = None,
    resolution: Optional[Number] = None, instant: bool = False, start: Optional[Number] = None,
    stop: Optional[Number] = None, **reading: Any,
) -> Finding:
    """Coulomb level and viscosity from sinusoidal motion, one amplitude of speed per recording, or per value of the column `each`.

    instant=True: the force was measured at the sampling instants, not held between them. Other options as of read().
    """
    recordings, files, reading = _in_hand_or_files(source, reading)
    options = _given(
        each=each, frequency=frequency, settling_periods=settling_periods, mass=mass, stiction=stiction,
        resolution=resolution, instant=instant, start=start, stop=stop, **reading)
    return _core.sine_test(recordings, files, command=_call("sine_test", source, options), **options)


def film_test(
    source: Union[Source, Sequence[Source]], *, speeds: Union[Source, Sequence[Source], None] = None,
    friction: Union[ModelFile, Path, None] = None, free: Union[str, Sequence[str], None] = None,
    fix: Optional[Mapping[str, Number]] = None, test: Union[Source, Sequence[Source], None] = None, **options: Any,
) -> Finding:
    """Film dynamics of a lubricated contact: stiffness, film times and viscous lags of new-modified-lugre.

    speeds are recordings at constant speeds, seven or more in each direction; without them `friction` is the static curve. `test`
    recordings are predicted, not fitted. free=["bristle_damping"] is fitted, too; fix={"thinning_time": "1.5 s"} is known.
    Other options as of prepare() and read().
    """
    preparation = {key: options.pop(key) for key in list(options) if key in _presets(prepare)}
    parts = [list(s) if isinstance(s, (list, tuple)) else [] if s is None else [s] for s in (source, speeds, test)]
    if all(isinstance(s, (str, os.PathLike)) for part in parts for s in part):
        recordings, files, others = [], parts[0], parts[1:]
    else:
        recordings, files, others = _all(parts[0], options), [], [_all(part, options) for part in parts[1:]]
        options = {}
    asked = _given(free=free, fix=fix or None, **preparation, **options)
    return _core.film_test(
        recordings, files, *others, command=_call("film_test", source, asked), friction=_friction_of(friction), **asked)


def slider(
    source: Union[Source, Sequence[Source]], *, speed: Number, mass: Number, stiffness: Number,
    compare: Sequence[tuple[Source, Mapping[str, Number]]] = (), cutoff_hz: Optional[Number] = None,
    least_drop: Optional[Number] = None, start: Optional[Number] = None, stop: Optional[Number] = None, **reading: Any,
) -> Finding:
    """Levels and period of stick-slip of a body that is pulled by a spring: recordings of time and spring force.

    compare=[("fast.csv", {"speed": "1.1 mm/s"})] predicts the period of others. Other options as of read().
    """
    recordings, files, own = _in_hand_or_files(source, reading)
    options = _given(
        speed=speed, mass=mass, stiffness=stiffness, cutoff_hz=cutoff_hz, least_drop=least_drop, start=start, stop=stop, **own)
    others = []
    for other, values in compare:
        unknown = [key for key in values if key not in ("speed", "mass", "stiffness")]
        if unknown:
            raise Error(f"compare: no number '{unknown[0]}'; there is speed, mass, stiffness")
        others.append((read(other, **reading), dict(values)))
    return _core.slider(recordings, files, others, command=_call("slider", source, options), **options)


def contact(
    source: Union[Source, Sequence[Source]], *, elements: int = 1, per_direction: bool = False, backlash: bool = False,
    asymmetry: bool = False, over: Optional[str] = None, knots: int = 0, share: Optional[Number] = None,
    invert_force: bool = False, start: Optional[Number] = None, stop: Optional[Number] = None, **reading: Any,
) -> Finding:
    """Springs that slip, with backlash, fitted to the first recording; the others are predicted. Other options as of read()."""
    recordings, files, reading = _in_hand_or_files(source, reading)
    options = _given(
        elements=elements, per_direction=per_direction, backlash=backlash, asymmetry=asymmetry, over=over, knots=knots,
        share=share, invert_force=invert_force, start=start, stop=stop, **reading)
    return _core.contact(recordings, files, command=_call("contact", source, options), **options)


def plan(
    *, mass: Number, resolution: Number, sampling_time: Number, force_limit: Number, stiction: Optional[Number] = None,
    coulomb: Optional[Number] = None, viscosity: Optional[Number] = None, stribeck_velocity: Optional[Number] = None,
    stroke: Optional[Number] = None, mass_known: float = 0.05, wanted: float = 0.02, rotary: bool = False,
) -> Plan:
    """What can be identified with a sensor and a drive, and with which tests."""
    options = _given(
        mass=mass, resolution=resolution, sampling_time=sampling_time, force_limit=force_limit, stiction=stiction,
        coulomb=coulomb, viscosity=viscosity, stribeck_velocity=stribeck_velocity, stroke=stroke, mass_known=mass_known,
        wanted=wanted, rotary=rotary)
    return _core.plan(command=_call("plan", None, options), **options)


def virtual_bench(
    *, mass: Optional[Number] = None, resolution: Optional[Number] = None, rate: Optional[Number] = None,
    stiction: Optional[Number] = None, coulomb: Optional[Number] = None, viscosity: Optional[Number] = None,
    stribeck_velocity: Optional[Number] = None, ramp: Optional[Number] = None, travel: Optional[Number] = None,
    speeds: Optional[Sequence[Number]] = None, proportional: Optional[Number] = None, derivative: Optional[Number] = None,
    force_limit: Optional[Number] = None, frequency: Optional[Number] = None, periods: Optional[int] = None, long: bool = False,
) -> VirtualBench:
    """Recordings of a breakaway test and of a sinusoidal test of a body with known friction, as a coarse encoder reads them.

    What is not given is as of the command virtual-bench: 1 kg, 1 mm, 1 kHz, stiction 1.5 N, Coulomb level 1 N, viscosity 0.4 N s/m.
    """
    options = _given(
        mass=mass, resolution=resolution, rate=rate, stiction=stiction, coulomb=coulomb, viscosity=viscosity,
        stribeck_velocity=stribeck_velocity, ramp=ramp, travel=travel, speeds=speeds, proportional=proportional,
        derivative=derivative, force_limit=force_limit, frequency=frequency, periods=periods, long=long or None)
    return _core.virtual_bench(command=_call("virtual_bench", None, options), **options)


# --- machines -----------------------------------------------------------------------------------------------------------


def machine(source: Union[Path, Mapping[str, Any], Machine], *, name: Optional[str] = None) -> Machine:
    """A machine from a file, from the text of one, or declared: a dict with the tables of a machine file.

    In a dict numbers are SI, texts have units, and a Friction stands for its table:
    machine({"machine": {"mass": 1.0}, "input": {...}, "friction": stickslip.models.lugre(...), "run": {"duration": 10, "sample_interval": 0.01}}).
    """
    if isinstance(source, Machine):
        return source
    if isinstance(source, Mapping):
        return _core.make_machine(dict(source), name or "machine")
    if isinstance(source, str) and "\n" in source:
        return _core.parse_machine(source, name or "machine")
    return _core.read_machine(source)


def simulate(
    source: Union[Path, Mapping[str, Any], Machine], values: Optional[Mapping[str, Number]] = None, *,
    until: Optional[Number] = None, long: bool = False, progress: Optional[Progress] = None,
) -> Run:
    """A run of a machine (file, text, dict or Machine), with some of its numbers changed: {"friction.coulomb_force": 12}."""
    runs = machine(source)
    if values:
        runs = runs.copy()
        runs.set(dict(values))
    return runs.run(until, long, progress)


def sweep(
    source: Union[Path, Machine], values: Optional[Mapping[str, ArrayLike]] = None, outputs: Sequence[str] = (), *,
    observe_from: Optional[Number] = None, slip_speed: Optional[Number] = None, threads: int = 0,
    journal: Optional[Path] = None, lanes: bool = True, long: bool = False, progress: Optional[Progress] = None,
) -> Any:
    """Many runs of one machine on all cores.

    sweep("map.toml") runs a sweep file (or its text) and returns a Sweep; with a journal an interrupted one is resumed.
    sweep(machine, {"machine.stiffness": K, "input.rate": V}, ["period", "max velocity"]) runs a machine with arrays of its
    numbers, all of one shape, and returns {output: array of that shape}; "failures" says why a run failed, or "".
    """
    if values is None:
        text = source if isinstance(source, str) and "\n" in source else None
        return _core.sweep_file("sweep" if text else source, text, progress, threads=threads, journal=journal, lanes=lanes, long=long)
    import numpy

    runs = machine(source)
    if not values:
        raise Error("no values; name some of the machine's numbers, {path: array}: see Machine.numbers")
    units = runs.units if any(isinstance(v, str) for v in values.values()) else {}
    given = {}
    for path, value in values.items():
        try:
            given[path] = numpy.asarray(si(value, units.get(path, "1")) if isinstance(value, str) else value, dtype=float)
        except Error as problem:
            raise Error(f"{path}: {problem}") from None
        except (TypeError, ValueError):
            raise Error(f"{path} holds something that is no number; arrays are of numbers in SI units") from None
    try:
        arrays = numpy.broadcast_arrays(*given.values())
    except ValueError:
        shapes = ", ".join(f"{path} {array.shape}" for path, array in given.items())
        raise Error(f"the arrays have different shapes: {shapes}; one shape is needed") from None
    shape = arrays[0].shape
    columns, _, failures = _core.run_machines(
        runs, {path: array.ravel() for path, array in zip(values, arrays)}, list(outputs), progress,
        **_given(observe_from=observe_from, slip_speed=slip_speed, threads=threads))
    found = {name: column.reshape(shape) for name, column in columns.items()}
    found["failures"] = numpy.array(failures, dtype=object).reshape(shape)
    return found


def batch(
    friction: str, *, end: Number = 10, mass: Any = 1.0, stiffness: Any = 0.0, damping: Any = 0.0, pull_speed: Any = 0.0,
    force: Any = 0.0, force_rate: Any = 0.0, position: Any = 0.0, velocity: Any = 0.0,
    relative_tolerance: Optional[float] = None, observe_from: Optional[Number] = None, slip_speed: Optional[Number] = None,
    threads: int = 0, **parameters: Any,
) -> dict[str, Any]:
    """Thousands of pulled or pushed bodies side by side in SIMD lanes and on all cores.

    Each number of the body and each parameter of the friction is one number for all, or an array with one per run.
    batch_models() lists the frictions. Returns {"period": array, "slips": array, ...}.
    """
    body = dict(mass=mass, stiffness=stiffness, damping=damping, pull_speed=pull_speed, force=force, force_rate=force_rate,
                position=position, velocity=velocity)
    return _core.batch(friction, body, parameters, **_given(
        end=end, relative_tolerance=relative_tolerance, observe_from=observe_from, slip_speed=slip_speed, threads=threads))


def batch_models() -> list[str]:
    """The friction models that batch() can run."""
    return _core.batch_models()


def check(
    what: Union[str, Sequence[str], Friction, ModelFile, None] = None, *, progress: Optional[Progress] = None
) -> Scorecard:
    """Which properties of real friction a model has, measured now: a name, several, all (None), or a friction of one's own."""
    if isinstance(what, ModelFile):
        what = what.friction
    if isinstance(what, Friction):
        return _core.check([], what, progress)
    names = [] if what is None or what == "all" else [what] if isinstance(what, str) else list(what)
    return _core.check(names, None, progress)


# --- out of the program -------------------------------------------------------------------------------------------------

_FORMATS = {
    ".h": "c", ".csv": "table", ".txt": "drive", ".mo": "modelica", ".xml": "mjcf", ".urdf": "urdf", ".sdf": "sdf",
    "_lpv.m": "lpv", ".m": "simulink", ".fmu": "fmu",
}


def _fmu_folder() -> str:
    """Where the binary of FMUs lies: in the package (wheel), beside it where it was built, or installed with the program."""
    package = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(package, "fmu"), os.path.join(package, "..", "..", "fmu")]
    for library in ("lib/x86_64-linux-gnu", "lib", "lib64"):
        places += [os.path.join(prefix, library, "stickslip", "fmu") for prefix in ("/usr", "/usr/local", sys.prefix)]
    for place in places:
        if os.path.isdir(place):
            return place
    raise Error("no FMU can be made: its binary comes with the program, in the Debian package stickslip or built by ./stickslip")


def _model_of(source: Union[Identification, Fitted, ModelFile, Path]) -> ModelFile:
    if isinstance(source, Identification):
        source = source.best
    if isinstance(source, Fitted):
        return source.model_file()
    return source if isinstance(source, ModelFile) else read_model(source)


def export(
    source: Union[Identification, Fitted, ModelFile, Path], path: Optional[Path] = None, *, format: Optional[str] = None,
    mass: Optional[Number] = None, sampling_time: Optional[Number] = None, fastest: Optional[Number] = None,
    knots: Optional[int] = None, fmi: Optional[int] = None, inputs: Optional[str] = None, slowest: Optional[Number] = None,
) -> Export:
    """A model, or as an FMU a machine file, for other programs; what the format loses is in the result.

    The ending of the path says the format: .h (C99), .csv (table), .txt (drive), .mo (Modelica), .xml (MuJoCo), .urdf, .sdf, .m
    (Simulink), .fmu, _lpv.m (the file of a clutch-by-wire as a parameter-varying system); `format` names it as the command's option does. Without a path nothing is written: see Export.content.
    """
    if format is None:
        to = os.fspath(path) if path is not None else ""
        format = next((word for ending, word in _FORMATS.items() if to.endswith(ending)), None)
        if format is None:
            raise Error(f"which format? format=... names one: {', '.join(sorted(_FORMATS.values()))}")
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        try:
            with open(name, encoding="utf-8") as file:
                text = file.read()
        except OSError as problem:
            raise Error(f"{name}: {problem.strerror}") from None
    else:
        model = _model_of(source)
        text, name = model.text(), model.file or f"{model.model}.model.toml"
    made = _core.export(text, name, format, **_given(
        mass=mass, sampling_time=sampling_time, fastest=fastest, slowest=slowest, knots=knots, fmi=fmi, inputs=inputs,
        path=os.fspath(path) if path is not None else None,
        binaries=_fmu_folder() if format == "fmu" else None))
    if path is not None:
        made.save(path)
    return made


def compensate(
    model: Union[Identification, Fitted, ModelFile, Path], machine: Optional[Path] = None, *, mass: Optional[Number] = None,
    sampling_time: Optional[Number] = None, delay: Optional[Number] = None, lag: Optional[Number] = None,
    resolution: Optional[Number] = None, limit: Optional[Number] = None, amplitude: Optional[Number] = None,
    frequency: Optional[Number] = None, cells: Optional[int] = None, threads: int = 0, progress: Optional[Progress] = None,
) -> Compensation:
    """From a friction model to a controller: feed-forward, observer, dither and integral in the closed loop of an axis.

    The axis is a machine file (kind servo-axis, position-loop or pid), or a mass with what is known of its sampling.
    """
    return _core.compensate(_model_of(model), os.fspath(machine) if machine is not None else "", progress, **_given(
        mass=mass, sampling_time=sampling_time, delay=delay, lag=lag, resolution=resolution, limit=limit, amplitude=amplitude,
        frequency=frequency, cells=cells, threads=threads))


# --- pandas -------------------------------------------------------------------------------------------------------------


def to_pandas(result: Any) -> pd.DataFrame:
    """The columns of a recording, run, sweep or generated recording, or the parameters of a fitted model, as a DataFrame."""
    import pandas

    if isinstance(result, Identification):
        result = result.best
    if isinstance(result, (Fitted, ModelFile)):
        rows = [
            (p.key, p.value, p.unit, p.low, p.high, p.verdict, p.meaning) for p in result.parameters.values()
        ]
        return pandas.DataFrame(rows, columns=["key", "value", "unit", "low", "high", "verdict", "meaning"]).set_index("key")
    columns: Iterable[Any] = result if isinstance(result, Mapping) else result.columns
    return pandas.DataFrame(columns, copy=False)
