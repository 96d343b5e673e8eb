"""Whether two tensors hold the same bytes, found out with as little reading as possible."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import dtypes
from .files import File
from .raw import CHUNK, Buffer

if TYPE_CHECKING:
    from .tensors import Tensor

SAMPLE = 4096
GLANCE = 64


def same_bytes(a: Tensor, b: Tensor) -> bool:
    """True when dtype, dims and every byte agree (so 0.0 is not -0.0, and a NaN equals itself).

    A few blocks are compared before everything is read; holes that two files share are not read at all.
    """
    if a is b:
        return True
    if a.dtype != b.dtype or a.dims != b.dims:
        return False
    if a.dtype == dtypes.STRING:
        return a.strings() == b.strings()
    ours, theirs = a.span(), b.span()
    if ours is not None and theirs is not None:
        if ours[0].identity == theirs[0].identity and ours[1] == theirs[1]:
            return True
        if ours[2] <= 3 * SAMPLE:
            return a.tobytes() == b.tobytes()
        if any(x != y for x, y in zip(blocks(a), blocks(b), strict=True)):
            return False
        return _same_spans(ours, theirs)
    return _same_streams(a.chunks(), b.chunks())


def _same_spans(a: tuple[File, int, int], b: tuple[File, int, int]) -> bool:
    regions = [(0, a[2])]
    if a[0].sparse and b[0].sparse:
        regions = sorted(
            (start - offset, end - offset)
            for file, offset, length in (a, b)
            for start, end in file.data_extents(offset, length)
        )
    done = 0
    for start, end in regions:
        for at in range(max(start, done), end, CHUNK):
            count = min(CHUNK, end - at)
            if a[0].pread(a[1] + at, count) != b[0].pread(b[1] + at, count):
                return False
        done = max(done, end)
    return True


def _same_streams(a: Iterator[Buffer], b: Iterator[Buffer]) -> bool:
    left = right = memoryview(b"")
    while True:
        left = left or memoryview(next(a, b""))
        right = right or memoryview(next(b, b""))
        count = min(len(left), len(right))
        if not count:
            return not left and not right
        # bytes compare with memcmp, memoryviews element by element.
        if bytes(left[:count]) != bytes(right[:count]):
            return False
        left, right = left[count:], right[count:]


def blocks(tensor: Tensor) -> Iterator[bytes]:
    """First, middle and last block of a tensor that is larger than that."""
    span = tensor.span()
    length = tensor.nbytes
    data = tensor.tobytes() if span is None else b""
    for at in (0, length // 2, length - SAMPLE):
        yield bytes(data[at : at + SAMPLE]) if span is None else span[0].pread(span[1] + at, SAMPLE)


def glance(tensor: Tensor) -> bytes:
    """Some bytes that equal tensors have in common, cheaper to get than a sample: those in the middle."""
    if tensor.dtype == dtypes.STRING:
        return tensor.sample()
    span = tensor.span()
    middle = tensor.nbytes // 2
    if span is not None:
        return span[0].pread(span[1] + middle, min(GLANCE, span[2] - middle))
    return bytes(tensor.tobytes()[middle : middle + GLANCE])


def pieces(tensor: Tensor, holes: bool = True) -> Iterator[Buffer]:
    """The raw bytes in order, whole elements each time; without those in holes of a file, which are 0, if asked."""
    span = tensor.span()
    if holes or span is None or not span[0].sparse:
        yield from tensor.chunks()
        return
    file, offset, length = span
    width = max(1, dtypes.BITS[tensor.dtype] // 8)
    for start, stop in file.data_extents(offset, length):
        start -= (start - offset) % width
        stop += (offset - stop) % width
        for at in range(start, stop, CHUNK):
            yield file.pread(at, min(CHUNK, stop - at))
