"""One function per friction model, its signature and help made from the model's table of parameters.

    friction = stickslip.models.lugre(bristle_stiffness=1e5, bristle_damping=300, coulomb_force=20, ...)
    help(stickslip.models.lugre)

Numbers are SI; a text has its unit: coulomb_force="20 N".
"""
from __future__ import annotations

from typing import Any, Callable

from . import _core

_infos = {info.name.replace("-", "_"): info for info in _core.model_infos()}


def _documented(info: _core.ModelInfo) -> str:
    lines = [info.title + ".", "", "  " + info.equations.replace("; ", "\n  "), ""]
    for p in info.parameters:
        unit = f" [{p.unit}]" if p.unit else ""
        preset = "" if p.required else f"; {p.preset} unless given"
        lines.append(f"{p.key}: {p.symbol}{unit}, {p.meaning}; {p.allowed}{preset}")
    lines += ["", "Captures: " + info.captures + ".", "Lacks: " + info.lacks + ".", info.source]
    return "\n".join(lines)


def _constructor(name: str, info: _core.ModelInfo) -> Callable[..., _core.Friction]:
    def make(**values: Any) -> _core.Friction:
        return _core.Friction(info.name, **values)

    import inspect as _inspect  # here: it takes as long as everything else

    kind = _inspect.Parameter.KEYWORD_ONLY
    parameters = [
        _inspect.Parameter(p.key, kind, default=_inspect.Parameter.empty if p.required else p.preset) for p in info.parameters
    ]
    parameters.append(_inspect.Parameter("backward", kind, default=None))
    make.__name__ = make.__qualname__ = name
    make.__doc__ = _documented(info)
    make.__signature__ = _inspect.Signature(parameters)  # type: ignore[attr-defined]
    return make


def __getattr__(name: str) -> Any:
    if name not in _infos:
        raise AttributeError(f"no friction model {name!r}; there is {', '.join(_infos)}")
    made = _constructor(name, _infos[name])
    globals()[name] = made
    return made


def __dir__() -> list[str]:
    return sorted([*_infos, "names", "info"])


def names() -> list[str]:
    """The models, as files and identify() name them."""
    return [info.name for info in _infos.values()]


def info(name: str) -> _core.ModelInfo:
    """Equations, parameters and sources of a model."""
    key = name.replace("-", "_")
    if key not in _infos:
        _core.Friction(name)  # says what is nearest
    return _infos[key]
