"""`explore`: what was found out about unknown conversations."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Sequence


class Group:
    """Conversations of one protocol."""

    def __init__(self, record: Dict[str, Any]) -> None:
        self.json = record
        """The object of `explore --json`; docs/explore.md describes it."""

    @property
    def streams(self) -> List[str]:
        """The conversations."""
        return list(self.json.get("streams", ()))

    @property
    def framing(self) -> List[Dict[str, Any]]:
        """Hypotheses about where messages begin, best first."""
        return list(self.json.get("framing", ()))

    @property
    def types(self) -> List[Dict[str, Any]]:
        """Types of messages with their columns."""
        return list(self.json.get("types", ()))

    @property
    def notes(self) -> List[str]:
        """What else was noticed."""
        return list(self.json.get("notes", ()))

    def ksy(self) -> Optional[str]:
        """The Kaitai Struct file; `None` if none fits."""
        text = self.json.get("ksy")
        return text if isinstance(text, str) else None

    def __repr__(self) -> str:
        rule = self.framing[0].get("rule", "") if self.framing else "no framing"
        return f"<Group {','.join(self.streams)}: {rule}, {len(self.types)} types>"


class Explored(Sequence[Group]):
    """Groups of conversations. Of the first one, `framing`, `types` and `ksy()` can be read here."""

    def __init__(self, objects: List[Dict[str, Any]]) -> None:
        self._groups = [Group(record) for record in objects if record.get("type") == "explore"]

    def __getitem__(self, place: Any) -> Any:
        return self._groups[place]

    def __len__(self) -> int:
        return len(self._groups)

    def __iter__(self) -> Iterator[Group]:
        return iter(self._groups)

    def _first(self) -> Group:
        if not self._groups:
            raise LookupError("no conversations to explore; select known ones by stream or filter")
        return self._groups[0]

    @property
    def framing(self) -> List[Dict[str, Any]]:
        """That of the first group."""
        return self._first().framing

    @property
    def types(self) -> List[Dict[str, Any]]:
        """Those of the first group."""
        return self._first().types

    def ksy(self) -> Optional[str]:
        """That of the first group."""
        return self._first().ksy()

    def __repr__(self) -> str:
        return f"<Explored {self._groups!r}>"
