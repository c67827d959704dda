"""Captures by name, for the other scripts here."""

import os


def captures(names):
    """The files of these names; a folder stands for all files in it."""
    for name in names:
        if os.path.isdir(name):
            for folder, _, files in sorted(os.walk(name)):
                yield from (os.path.join(folder, file) for file in sorted(files))
        else:
            yield name
