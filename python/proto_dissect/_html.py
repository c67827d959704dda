"""The field list of a page, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, List, Union

if TYPE_CHECKING:
    from ._native import Field, Message

MOST = 2000
"""Fields shown; a notebook is not a place for more."""

STYLE = "font-family:monospace;line-height:1.4;padding-left:1em"


def of(shown: "Union[Message, Field]") -> str:
    """The fields as a list whose groups fold."""
    rows: List[str] = []
    left = _rows(list(shown.fields), rows, MOST)
    if left < 0:
        rows.append("<div>…</div>")
    return f'<div style="{STYLE}"><b>{escape(_title(shown))}</b>{"".join(rows)}</div>'


def _title(shown: "Union[Message, Field]") -> str:
    return str(shown) if hasattr(shown, "label") else repr(shown).strip("<>")


def _rows(fields: "List[Field]", rows: List[str], left: int) -> int:
    for field in fields:
        left -= 1
        if left < 0:
            return left
        title = f'{escape(str(field))} <small title="{escape(field.name)}">{_place(field)}</small>'
        inside = field.fields
        if inside:
            rows.append(f'<details style="padding-left:1em"><summary>{title}</summary>')
            left = _rows(inside, rows, left)
            rows.append("</details>")
        else:
            rows.append(f'<div style="padding-left:1em">{title}</div>')
        if left < 0:
            return left
    return left


def _place(field: "Field") -> str:
    return "" if field.offset is None else f"{field.offset}+{field.length}"
