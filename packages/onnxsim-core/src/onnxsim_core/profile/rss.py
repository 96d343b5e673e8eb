"""How much memory this process has in RAM."""

from __future__ import annotations

import os
import sys

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def resident_mb() -> float:
    """MiB in RAM now; where the system does not tell, the most there was; 0 where it tells neither."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE / (1 << 20)
    except OSError:
        return most_resident_mb()


def most_resident_mb() -> float:
    """The largest number of MiB in RAM so far, 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1 << 20) if sys.platform == "darwin" else most / 1024
