#!/usr/bin/env python3
"""Measures what a graph costs to compile: the program of docs/getting-started.md in a crate of its own, and WriteHERE.

A figure is the least of some rounds. In each a line is changed, in the program, or the library's file is touched, in
WriteHERE, and cargo builds again. Time is given on the wall and of the processors, since others on the machine disturb
the former more. The program is built with cargo's own profiles: incremental in debug. WriteHERE has those of the
workspace, which is never incremental.

Lines are those of the code that rustc hands to LLVM for the program's crate, before any pass, in one unit: what a
crate pays for the generic code that it uses. They are listed by the function that they are a copy of.

usage: python bench/compile.py [--rounds N] [--only program|writehere] [--no-release] [--lines N]
"""

import argparse
import collections
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parent
MANIFEST = """[package]
name = "first-graph"
version = "0.1.0"
edition = "2024"

[dependencies]
graphloom-core-graph = {{ path = "{core}" }}
schemars = "1"
serde = {{ version = "1", features = ["derive"] }}
tokio = {{ version = "1", features = ["macros", "rt"] }}

[workspace]
"""
CHANGED = "Walk the hills of"


def cargo(arguments, folder, **variables):
    """Runs cargo; seconds on the wall and of the processors."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    ran = subprocess.run(
        ["cargo", *arguments], cwd=folder, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if ran.returncode != 0:
        sys.exit(f"cargo {' '.join(arguments)} failed:\n{ran.stderr}")
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, spent


def rebuilt(change, arguments, folder, rounds, **variables):
    """The least of some rounds of a change and a build."""
    cargo(arguments, folder, **variables)
    rows = []
    for round in range(rounds):
        change(round)
        rows.append(cargo(arguments, folder, **variables))
    return min(wall for wall, _ in rows), min(spent for _, spent in rows)


def program(place):
    """Makes a crate of the first graph of the guide; returns what changes a line of it."""
    guide = (CHECKOUT / "docs/getting-started.md").read_text()
    source = next(code for code in re.findall(r"```rust\n(.*?)```", guide, re.S) if "fn main" in code)
    assert CHANGED in source, f"the program of the guide does not say `{CHANGED}`"
    shutil.rmtree(place, ignore_errors=True)
    (place / "src").mkdir(parents=True)
    (place / "Cargo.toml").write_text(MANIFEST.format(core=CHECKOUT / "crates/core-graph"))
    shutil.copy(CHECKOUT / "Cargo.lock", place / "Cargo.lock")
    main = place / "src/main.rs"
    main.write_text(source)
    return lambda round: main.write_text(source.replace(CHANGED, f"{CHANGED} {round}"))


def lines(folder, target):
    """Lines of LLVM code of the program's crate by the function that they are copies of."""
    flags = ["--emit=llvm-ir", "-Ccodegen-units=1", "-Cno-prepopulate-passes", "-Cdebuginfo=0"]
    cargo(["rustc", "--quiet", "--", *flags], folder, CARGO_TARGET_DIR=str(target), CARGO_INCREMENTAL="0")
    files = sorted((target / "debug/deps").glob("first_graph-*.ll"), key=lambda file: file.stat().st_mtime)
    found, name, counted = collections.Counter(), None, 0
    copies, said = collections.Counter(), None
    for line in files[-1].read_text().splitlines():
        if line.startswith("; ") and not line.startswith("; Function Attrs"):
            said = line[2:]
        elif line.startswith("define "):
            name, counted = said, 0
        elif line == "}" and name is not None:
            found[name] += counted
            copies[name] += 1
            name = None
        elif name is not None:
            counted += 1
    return found, copies


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each figure")
    parser.add_argument("--only", choices=["program", "writehere"], help="measures one of them")
    parser.add_argument("--no-release", action="store_true", help="leaves out what is optimised")
    parser.add_argument("--lines", type=int, default=20, help="how many functions are listed")
    asked = parser.parse_args()
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", CHECKOUT / "target"))
    rows = []
    if asked.only != "writehere":
        place, built = target / "compile/first-graph", target / "compile/target"
        change = program(place)
        variables = {"CARGO_TARGET_DIR": str(built)}
        whole = {**variables, "CARGO_INCREMENTAL": "0"}
        usual = {**variables, "CARGO_INCREMENTAL": "1"}
        rows.append(("program, debug", rebuilt(change, ["build"], place, asked.rounds, **usual)))
        rows.append(("program, debug, not incremental", rebuilt(change, ["build"], place, asked.rounds, **whole)))
        if not asked.no_release:
            rows.append(("program, release", rebuilt(change, ["build", "--release"], place, asked.rounds, **whole)))
        found, copies = lines(place, built)
        print(f"{sum(found.values())} lines in {sum(copies.values())} functions")
        for name, count in found.most_common(asked.lines):
            print(f"{count:8} {copies[name]:5} {name}")
    if asked.only != "program":
        touched = CHECKOUT / "crates/apps/writehere/src/lib.rs"
        # The features are those of the whole workspace, so that nothing else is built again.
        build = ["build", "--workspace", "--bin", "writehere"]
        rows.append(("WriteHERE, debug", rebuilt(lambda _: touched.touch(), build, CHECKOUT, asked.rounds)))
        if not asked.no_release:
            optimised = [*build, "--release"]
            rows.append(("WriteHERE, release", rebuilt(lambda _: touched.touch(), optimised, CHECKOUT, asked.rounds)))
    for name, (wall, spent) in rows:
        print(f"{name:34} {wall:6.2f} s, {spent:6.2f} s of the processors")


if __name__ == "__main__":
    main()
