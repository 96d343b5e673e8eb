"""The steps of a release, one distribution at a time.

    python tools/release.py order                        distributions, those needed by others first
    python tools/release.py changelog onnxsim-core       turn the fragments into a section (`--draft` only shows it)
    python tools/release.py check onnxsim-core-v0.9.0    does the tag agree with the version and the changelog?
    python tools/release.py notes onnxsim-core-v0.9.0    the section of the changelog that belongs to a tag
    python tools/release.py build onnxsim-core OUT       sdist, and the wheel built from it
"""

import argparse
import datetime
import re
import subprocess
import sys
from pathlib import Path

from check_siblings import requirements
from fragments import MARKER, assemble, fragment_files
from source_tree import ROOT, Distribution, distributions

TAG = re.compile(r"(?P<name>onnxsim(?:-[a-z0-9]+)*)-v(?P<version>\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?)")


def find(name: str, root: Path = ROOT) -> Distribution:
    """The distribution of that name; a wrong name ends the program with the right ones."""
    found = {dist.name: dist for dist in distributions(root)}
    if name not in found:
        raise SystemExit(f"no distribution {name!r}; there are {', '.join(found)}")
    return found[name]


def release_order(root: Path = ROOT) -> list[str]:
    """Names of all distributions, each after every sibling it needs."""
    found = {dist.name: dist for dist in distributions(root)}
    needs = {name: {req[1] for req in requirements(dist)} & set(found) - {name} for name, dist in found.items()}
    order: list[str] = []
    while len(order) < len(found):
        ready = [name for name in found if name not in order and needs[name] <= set(order)]
        if not ready:
            raise SystemExit(f"distributions need each other: {sorted(set(found) - set(order))}")
        order += ready
    return order


def write_changelog(dist: Distribution, day: str, draft: bool) -> str:
    """Put the section of this version on top of the changelog and delete its fragments."""
    section = assemble(dist, day)
    if not section:
        raise SystemExit(f"{dist.name} has no changelog fragments: nothing to release")
    if not draft:
        path = dist.folder / "CHANGELOG.md"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(MARKER, f"{MARKER}\n\n{section.rstrip()}", 1), encoding="utf-8")
        for fragment in fragment_files(dist):
            fragment.unlink()
    return section


def tag_problems(tag: str, root: Path = ROOT) -> list[str]:
    """Why a tag cannot be released; nothing if it can."""
    match = TAG.fullmatch(tag)
    if match is None:
        return [f"{tag!r} is no tag like onnxsim-core-v0.9.0"]
    dist = find(match["name"], root)
    problems = []
    if dist.version != match["version"]:
        problems.append(f"the tag says {match['version']}, _version.py says {dist.version}")
    if f"\n## {match['version']} (" not in (dist.folder / "CHANGELOG.md").read_text(encoding="utf-8"):
        problems.append(f"the changelog has no section {match['version']}")
    left = [path.name for path in fragment_files(dist)]
    if left:
        problems.append(f"fragments are left over: {', '.join(left)}")
    return problems


def notes(tag: str, root: Path = ROOT) -> str:
    """The text of the changelog under the version of a tag."""
    match = TAG.fullmatch(tag)
    if match is None:
        raise SystemExit(f"{tag!r} is no tag like onnxsim-core-v0.9.0")
    changelog = (find(match["name"], root).folder / "CHANGELOG.md").read_text(encoding="utf-8")
    _, found, rest = changelog.partition(f"\n## {match['version']} (")
    if not found:
        raise SystemExit(f"the changelog has no section {match['version']}")
    return rest.partition("\n")[2].partition("\n## ")[0].strip()


def build(name: str, out: Path) -> None:
    """Build the sdist, and from it the wheel, the way an index user's pip would: without the workspace's sources."""
    command = ["uv", "build", "--package", name, "--no-sources", "--out-dir", str(out)]
    subprocess.run(command, cwd=ROOT, check=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("order")
    changelog = commands.add_parser("changelog")
    changelog.add_argument("name")
    changelog.add_argument("--draft", action="store_true")
    for name in ("check", "notes"):
        commands.add_parser(name).add_argument("tag")
    building = commands.add_parser("build")
    building.add_argument("name")
    building.add_argument("out", type=Path)
    options = parser.parse_args(arguments)
    if options.command == "order":
        print("\n".join(release_order()))
    elif options.command == "changelog":
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        print(write_changelog(find(options.name), today, options.draft))
    elif options.command == "build":
        build(find(options.name).name, options.out)
    elif options.command == "notes":
        print(notes(options.tag))
    else:
        problems = tag_problems(options.tag)
        print("\n".join(problems) or f"{options.tag} can be released")
        return 1 if problems else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
