"""The program and the samples that the package is compared with."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = pathlib.Path(os.environ.get("SAMPLES", ROOT / "samples"))


def program():
    """The command line: PROGRAM, or the build in target/."""
    named = os.environ.get("PROGRAM")
    built = [ROOT / "target" / kind / "proto-dissect" for kind in ("release", "debug")]
    for path in [named, *built, shutil.which("proto-dissect")]:
        if path and os.access(path, os.X_OK):
            return str(path)
    raise RuntimeError("no program to compare with: set PROGRAM, or run cargo build")


def records(*arguments):
    """The objects of --json."""
    line = [program(), "--no-user-ksy", "--json", *map(str, arguments)]
    output = subprocess.run(line, capture_output=True, check=False, env={**os.environ, "TZ": "UTC"}).stdout
    return [json.loads(text) for text in output.splitlines()]


@pytest.fixture
def samples():
    return SAMPLES


def captures():
    return sorted(path for path in SAMPLES.iterdir() if path.suffix in (".pcap", ".pcapng"))
