"""The version of this distribution; the build reads it from here and nothing else states it."""

__version__ = "0.9.0"
