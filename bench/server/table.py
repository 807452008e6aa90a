"""Servers side by side: `table.py ROUNDS DRIVE SERVED FOLDER [REFERENCE]`.

DRIVE and SERVED are the programs of this crate, FOLDER takes the files of SQLite, and REFERENCE is the command `langgraph`
of an environment with `reference/requirements.txt`. In each round every server is started, measured and ended, one after
the other. Prints the medians as a Markdown table, with how often the reference takes what ours takes on the memory store.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def servers(served: str, folder: Path, reference: str | None) -> dict[str, list[str]]:
    commands = {
        "memory": [served, "127.0.0.1:2751", "memory"],
        "SQLite NORMAL": [served, "127.0.0.1:2752", "normal", str(folder / "normal")],
        "SQLite FULL": [served, "127.0.0.1:2753", "full", str(folder / "full")],
    }
    if reference:
        jobs = ["--no-browser", "--no-reload", "--n-jobs-per-worker", "100", "--port", "2754"]
        commands["reference"] = [reference, "dev", *jobs]
    return commands


def measure(drive: str, name: str, command: list[str], at: str, folder: Path) -> dict[str, tuple[float, str]]:
    repeats = "10" if name == "reference" else "2000"
    environment = {**os.environ, "LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1"}
    shutil.rmtree(folder, ignore_errors=True)
    # The reference writes beside its graphs.
    shutil.copytree(HERE / "reference", folder)
    lines = subprocess.run(
        [drive, name, at, repeats, "--", *command],
        cwd=folder, env=environment, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ).stdout.splitlines()
    told = [json.loads(line) for line in lines if line.startswith("{")]
    return {one["what"]: (one["value"], one["unit"]) for one in told}


def shown(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def main() -> None:
    rounds, drive, served, folder, *rest = sys.argv[1:]
    folder = Path(folder).absolute()
    commands = servers(str(Path(served).absolute()), folder, rest[0] if rest else None)
    found: dict[str, dict[str, list[float]]] = {}
    units: dict[str, str] = {}
    for _ in range(int(rounds)):
        for place, (name, command) in enumerate(commands.items(), 2751):
            measured = measure(str(Path(drive).absolute()), name, command, f"127.0.0.1:{place}", folder)
            for what, (value, unit) in measured.items():
                units[what] = unit
                found.setdefault(what, {}).setdefault(name, []).append(value)
    names = list(commands)
    print("| |", " | ".join(names), "|" + (" times |" if rest else ""))
    print("| --- " * (len(names) + 1 + bool(rest)) + "|")
    for what, values in found.items():
        medians = {name: statistics.median(values[name]) for name in names if name in values}
        row = [f"{what}, {units[what]}" if units[what] else what]
        row += [shown(medians[name]) if name in medians else "" for name in names]
        if rest:
            both = "memory" in medians and "reference" in medians and medians["memory"] and medians["reference"]
            ratio = medians["reference"] / medians["memory"] if both else 0
            row.append(shown(max(ratio, 1 / ratio)) if ratio else "")
        print("|", " | ".join(row), "|")


main()
