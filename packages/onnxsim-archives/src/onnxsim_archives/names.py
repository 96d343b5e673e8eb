"""Names of entries: what a container forbids, finds too long or has already gets another name, always the same one."""

from __future__ import annotations

import hashlib

from .formats import Format

_DIGEST = 16


class EntryNames:
    """Gives each key of a model a name of its own in one archive."""

    def __init__(self, format: Format) -> None:
        self.format = format
        self._taken: set[str] = set()

    def assign(self, key: str) -> str:
        """The key itself if it can be had, else its beginning and a digest of it."""
        name = key
        number = 1
        while not self.format.accepts(name) or name in self._taken:
            name = self._shortened(key, number)
            number += 1
        self._taken.add(name)
        return name

    def _shortened(self, key: str, number: int) -> str:
        text = "".join(letter if letter.isprintable() else "_" for letter in key)
        digest = hashlib.blake2b(f"{number}/{key}".encode("utf-8", "backslashreplace"), digest_size=_DIGEST // 2)
        room = (self.format.name_bytes or 255) - _DIGEST - 1
        start = text.encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
        return f"{start}~{digest.hexdigest()}"
