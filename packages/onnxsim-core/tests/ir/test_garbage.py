"""The collector is away inside, and afterwards what it was before."""

import gc
import weakref

import pytest

from onnxsim_core.ir.garbage import paused_gc


class Knot:
    def __init__(self):
        self.me = self


@pytest.fixture(autouse=True)
def collector_as_it_was():
    yield
    gc.enable()


def test_nothing_is_collected_inside():
    with paused_gc():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_collector_comes_back_after_an_error():
    with pytest.raises(KeyError), paused_gc():
        raise KeyError
    assert gc.isenabled()


def test_a_collector_that_is_off_stays_off():
    gc.disable()
    with paused_gc():
        pass
    assert not gc.isenabled()


def test_garbage_made_inside_is_still_found_later():
    with paused_gc():
        knot = weakref.ref(Knot())
    assert gc.get_freeze_count() == 0
    gc.collect()
    assert knot() is None


def test_objects_the_caller_froze_stay_frozen():
    gc.freeze()
    frozen = gc.get_freeze_count()
    try:
        with paused_gc():
            pass
        assert gc.get_freeze_count() == frozen > 0
    finally:
        gc.unfreeze()
