import check_docs
import pytest

PAGE = """# Page

```python
x = 1
```

- in a list

  ```console
  $ echo one two
  one ...
  ```

```python no-run: needs a GPU
raise SystemExit(3)
```

```toml
x = 1
```

```python
assert x == 1
```
"""


def test_blocks_are_found_with_their_lines():
    assert [(b.language, b.line, b.text) for b in check_docs.examples(PAGE)] == [
        ("python", 4, "x = 1"),
        ("console", 10, "$ echo one two\none ..."),
        ("python", 23, "assert x == 1"),
    ]


@pytest.fixture
def run(tmp_path):
    def run(text):
        (tmp_path / "examples").mkdir(exist_ok=True)
        (tmp_path / "examples" / "a.txt").write_text("example\n")
        page = tmp_path / "page.md"
        page.write_text(text)
        return check_docs.run_page(page, tmp_path)

    return run


def test_a_right_page_passes(run):
    assert run(PAGE) == []


def test_each_page_has_the_examples_and_a_folder_of_its_own(run, tmp_path):
    assert run("```console\n$ cat examples/a.txt\nexample\n$ touch made\n```\n") == []
    assert not (tmp_path / "made").exists()


def test_failures_say_where_and_what(run):
    (failure,) = run("\n```console\n$ echo one\ntwo\n```\n")
    assert failure == "page.md:3: `echo one` printed\none\n\ninstead of\ntwo"
    (failure,) = run("```console\n$ echo gone wrong >&2; exit 3\n```\n")
    assert failure == "page.md:2: `echo gone wrong >&2; exit 3` ended with 3\ngone wrong\n"
    (failure,) = run("text\n\n```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n")
    assert failure.startswith("page.md:4: the python examples failed\n")
    assert 'page.py", line 8' in failure


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("a  \nb", "a\nb\n", True),
        ("a ... d", "a b\nc d", True),
        ("a.c", "abc", False),
        ("a", "a\nb", False),
        ("...", "", True),
    ],
)
def test_printed_text(expected, actual, same):
    assert check_docs.matches(expected, actual) is same
