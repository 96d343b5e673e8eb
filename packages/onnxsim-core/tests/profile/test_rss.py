import builtins

from onnxsim_core.profile import rss


def test_memory_in_use_is_seen():
    before = rss.resident_mb()
    held = bytearray(64 << 20)
    held[::4096] = b"x" * len(held[::4096])

    assert rss.resident_mb() - before > 48
    assert rss.most_resident_mb() >= rss.resident_mb() - 1


def test_where_there_is_no_proc_the_most_is_told(monkeypatch):
    def missing(*_, **__):
        raise FileNotFoundError

    monkeypatch.setattr(builtins, "open", missing)

    assert rss.resident_mb() == rss.most_resident_mb() > 0


def test_where_nothing_is_told_it_is_zero(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "resource", None)

    assert rss.most_resident_mb() == 0.0
