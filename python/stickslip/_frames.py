"""Columns of a pandas.DataFrame or of arrays by name as the recording takes them. pandas itself is not needed."""
from __future__ import annotations

import re
import warnings
from typing import Any, Mapping

import numpy as np

from ._core import DataWarning, Error


_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}


def _heading(heading: Any) -> str:
    """Of a heading in levels the second is the unit: ("force", "N") is "force [N]"."""
    words = [str(part) for part in heading if str(part)] if isinstance(heading, tuple) else [str(heading)]
    return words[0] + "".join(f" [{word}]" for word in words[1:]) if words else ""


def _first_word(series: Any) -> str:
    """The first value that is no number, with its place."""
    for row, value in enumerate(series):
        try:
            float(value)
        except (TypeError, ValueError):
            return f"{str(value)[:40]!r} in row {row + 1}, which is no number"
    return "no numbers"


def _array(values: Any) -> Any:
    """Of a column or an index; instants of a time zone become those of UTC."""
    return values.to_numpy(dtype="datetime64[ns]") if getattr(values.dtype, "tz", None) is not None else values.to_numpy()


def columns_of_frame(frame: Any, name: str) -> dict[str, Any]:
    """Each column as an array, an index that is more than row numbers first. Columns of words are left out with a warning."""
    columns: dict[str, Any] = {}
    index = frame.index
    if type(index).__name__ != "RangeIndex" and (index.name is not None or index.dtype.kind in "mM"):
        columns[str(index.name or "time")] = _array(index)
    for place, heading in enumerate(frame.columns):
        series = frame.iloc[:, place]
        key = _heading(heading)
        if key in columns:
            raise Error(f"{name}: two columns are called '{key}'; each needs a name of its own")
        values = _array(series)
        if values.dtype.kind not in "mM":
            try:
                values = series.to_numpy(dtype=float, na_value=np.nan)
            except (TypeError, ValueError):
                warnings.warn(f"{name}: column '{key}' holds {_first_word(series)}; it was left out", DataWarning, stacklevel=3)
                continue
        columns[key] = values
    return columns


def _unmasked(values: Any) -> Any:
    """What a masked array hides is missing: nan."""
    if not isinstance(values, np.ma.MaskedArray) or values.dtype.kind not in "biuf":
        return values
    return np.ma.filled(values.astype(float), np.nan)


def with_seconds(columns: Mapping[str, Any], units: Mapping[str, str], name: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Instants (datetime64) and durations (timedelta64) as numbers, in seconds or the unit of their heading; instants count from the
    first. NaT is nan."""
    found, unit_of = {key: _unmasked(values) for key, values in columns.items()}, dict(units)
    for key, values in found.items():
        kind = getattr(getattr(values, "dtype", None), "kind", "")
        if kind not in ("m", "M"):
            continue
        if key in unit_of:
            raise Error(f"{name}: column '{key}' holds instants, which have no unit; '{unit_of[key]}' was stated")
        instants = values[~np.isnat(values)] if kind == "M" else values
        since = values if kind == "m" else values - (instants[0] if len(instants) else np.datetime64(0, "s"))
        seconds = since / np.timedelta64(1, "s")
        stated = re.search(r"[\[(_/ ]\s*(s|ms|us|µs|ns|min|h)\s*[\])]?$", key)
        found[key] = seconds / _SECONDS[stated[1]] if stated else seconds
        if not stated:
            unit_of[key] = "s"
    return found, unit_of
