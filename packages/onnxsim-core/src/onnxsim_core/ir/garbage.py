"""Keeping the garbage collector away from graphs under construction."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_gc() -> Iterator[None]:
    """No garbage collection inside; afterwards the collector is as it was.

    A graph is hundreds of thousands of small objects, all of them alive: searching them for garbage again and again
    would double the time. What was made inside counts as old at the end, so that leaving sets off no search either.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():
            # Freezing and thawing moves every object to the oldest generation without looking at it.
            gc.freeze()
            gc.unfreeze()
        gc.enable()
