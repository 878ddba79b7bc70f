"""Builds the wheel: CMake, Ninja and a zip file, nothing to download (PEP 517).

    pip wheel --no-deps --no-index .            # in the project's folder; then: pip install stickslip-*.whl

The compiled part goes to build/wheel, or to the build folder that STICKSLIP_BUILD names.
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(stickslip VERSION ([\d.]+)", text).group(1)


def tag():
    major, minor = sys.version_info[:2]
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp{major}{minor}-cp{major}{minor}-{platform}"


def metadata():
    return "\n".join([
        "Metadata-Version: 2.1", "Name: stickslip", f"Version: {version()}",
        "Summary: Friction models, exact stick and slip, identification from recordings",
        "License: " + (ROOT / "LICENSE").read_text().strip().split("\n")[0],
        "Requires-Python: >=3.9", "Requires-Dist: numpy", "Description-Content-Type: text/markdown", "",
        (ROOT / "docs" / "guides" / "python.md").read_text()])


def built():
    """The folder of the package with its compiled part."""
    folder = os.environ.get("STICKSLIP_BUILD")
    if not folder:
        folder = ROOT / "build" / "wheel"
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSTICKSLIP_PYTHON=ON",
                        f"-DPython3_EXECUTABLE={sys.executable}"], check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "stickslip_python"], check=True)
    return pathlib.Path(folder) / "python" / "stickslip"


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    name = f"stickslip-{version()}.dist-info"
    folder = pathlib.Path(metadata_directory, name)
    folder.mkdir()
    (folder / "METADATA").write_text(metadata())
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = built()
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    if not (package / f"_core{suffix}").exists():
        raise SystemExit(f"{package} holds no _core{suffix}: it was built for another Python than {sys.executable}")
    info = f"stickslip-{version()}.dist-info"
    name = f"stickslip-{version()}-{tag()}.whl"
    files = {f"stickslip/{path.name}": path.read_bytes() for path in sorted(package.iterdir())
             if path.suffix in (".py", ".pyi") or path.name in ("py.typed", f"_core{suffix}")}
    binaries = package.parents[1] / "fmu"  # what export() puts into FMUs
    files.update({f"stickslip/fmu/{path.relative_to(binaries)}": path.read_bytes() for path in sorted(binaries.glob("x86_64-*/stickslip.*"))})
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: stickslip_wheel\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = []
    with zipfile.ZipFile(pathlib.Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}\n")
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))  # the same bytes whenever it is built
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
        entry = zipfile.ZipInfo(f"{info}/RECORD", (1980, 1, 1, 0, 0, 0))
        wheel.writestr(entry, "".join(record) + f"{info}/RECORD,,\n")
    return name
