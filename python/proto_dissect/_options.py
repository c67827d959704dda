"""Keyword arguments as options of the command line."""

from __future__ import annotations

import os
from typing import Dict, Iterable, List, Mapping, Optional, TypedDict, Union

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Iterable[Path]]


class Options(TypedDict, total=False):
    """Options that every function takes."""

    keys: Paths
    """Key files, as for --keys."""
    ksy: Paths
    """Kaitai Struct files to load as protocols, as for -k."""
    ksy_dir: Paths
    """Directories of imports with an absolute path."""
    user_ksy: bool
    """Whether the files in the user's directory are loaded, too; they are not by default."""
    decode_as: Union[Mapping[str, str], Iterable[str]]
    """Protocols of conversations: {"tcp.port==4000": "game"}."""
    options: Mapping[str, Union[str, int, float, bool, "os.PathLike[str]"]]
    """Settings of protocols, as for -o: {"rs.revision": 317}."""
    limits: Mapping[str, Union[int, str]]
    """Limits on memory and work, as for --limit. They are of the whole process."""
    heuristics: bool
    """Whether protocols are recognized by content, not only by port; they are by default."""
    show_secrets: bool
    """Whether passwords and other secrets are shown; they are masked by default."""


def paths(given: Paths) -> List[str]:
    """One path, or several."""
    if isinstance(given, (str, os.PathLike)):
        return [os.fspath(given)]
    return [os.fspath(path) for path in given]


def text(value: object) -> str:
    """The value of a setting."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, os.PathLike):
        return os.fspath(value)  # type: ignore[no-any-return]
    return str(value)


def words(options: Options, extra: Optional[Dict[str, Optional[str]]] = None) -> List[str]:
    """The options as an argument list."""
    unknown = set(options) - set(Options.__annotations__)
    if unknown:
        known = ", ".join(sorted(Options.__annotations__))
        raise TypeError(f"unknown argument {sorted(unknown)[0]!r}; expected one of {known}")
    line: List[str] = []
    line += [f"--keys={path}" for path in paths(options.get("keys", ()))]
    line += [f"--ksy={path}" for path in paths(options.get("ksy", ()))]
    line += [f"--ksy-dir={path}" for path in paths(options.get("ksy_dir", ()))]
    if not options.get("user_ksy", False):
        line.append("--no-user-ksy")
    decode_as = options.get("decode_as", ())
    if isinstance(decode_as, str):
        decode_as = [decode_as]
    if isinstance(decode_as, Mapping):
        decode_as = [f"{selector},{protocol}" for selector, protocol in decode_as.items()]
    line += [f"--decode-as={rule}" for rule in decode_as]
    line += [f"--option={name}={text(value)}" for name, value in options.get("options", {}).items()]
    line += [f"--limit={name}={value}" for name, value in options.get("limits", {}).items()]
    if not options.get("heuristics", True):
        line.append("--no-heuristics")
    if options.get("show_secrets", False):
        line.append("--show-secrets")
    for name, value in (extra or {}).items():
        if value is not None:
            line.append(f"--{name}={value}")
    return line
