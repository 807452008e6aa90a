"""Prints one table of ratios from the rows of graphloom-bench, graphloom-bench-peers and langgraph.py.

usage: table.py OURS PEERS LANGGRAPH SYNCS

Each file has one row a line, in JSON; a file that is not there is left out. SYNCS says
of steps on a store that survives the loss of power how many commits were asked for, and made, and how often the log was
brought to the disk.
"""

import json
import os
import sys


def rows(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def times(value):
    return f"{value:,.1f}x" if value < 100 else f"{value:,.0f}x"


def main():
    ours, peers, python, syncs = (rows(path) for path in sys.argv[1:5])
    by = {}
    for row in ours:
        by.setdefault((row["shape"], row["store"]), row)
    theirs = {(row["shape"], row["store"]): row for row in python if "cpu_us" in row}
    bars = []

    if theirs:
        print("\nLangGraph, in our times: processor time, wall time, bytes on disk")
        print(f"{'shape':<14} {'store':<14} {'ours µs':>10} {'theirs µs':>12} {'x cpu':>10} {'x wall':>10} {'our bytes':>12} {'their bytes':>12} {'share':>7}")
        for key, row in theirs.items():
            our = by.get(key)
            if not our:
                continue
            share, sizes = "", ("", "")
            if our["bytes"] and row["bytes"]:
                sizes, share = (our["bytes"], row["bytes"]), f"{100 * our['bytes'] / row['bytes']:.2f}%"
            cpu, wall = row["cpu_us"] / our["cpu_us"], row["wall_us"] / our["wall_us"]
            print(f"{key[0]:<14} {key[1]:<14} {our['cpu_us']:>10.3f} {row['cpu_us']:>12.1f} {times(cpu):>10} {times(wall):>10} {sizes[0]:>12} {sizes[1]:>12} {share:>7}")
        for shape in ("chain1000", "loop10k"):
            if (key := (shape, "none")) in theirs and key in by:
                ratio = theirs[key]["cpu_us"] / by[key]["cpu_us"]
                bars.append((ratio >= 800, f"{shape}: LangGraph takes {ratio:.0f} times our processor time, at least 800"))
        if (key := ("threads100x20", "sqlite-full")) in theirs and key in by:
            ratio = theirs[key]["wall_us"] / by[key]["wall_us"]
            bars.append((ratio >= 20, f"threads100x20 in SQLite FULL: LangGraph takes {ratio:.0f} times our time, at least 20"))
        for store in ("sqlite-normal", "sqlite-full"):
            if (key := ("chain1000", store)) in theirs and key in by:
                share = 100 * by[key]["bytes"] / theirs[key]["bytes"]
                bars.append((share <= 2, f"chain1000 in {store}: {share:.2f} % of LangGraph's bytes, at most 2"))
        cold = next((row for row in python if row["shape"] == "cold"), None)
        if cold:
            print(f"LangGraph's cold start: {cold['ms']:.0f} ms, {cold['mb']:.0f} MB")

    if peers:
        print("\nRust peers, in our processor time of the same shape")
        names = dict.fromkeys(row["impl"] for row in peers if not row["impl"].startswith("graphloom"))
        keys = dict.fromkeys((row["shape"], row["store"]) for row in peers)
        found = {(row["impl"], row["shape"], row["store"]): row for row in peers}
        print(f"{'':<22}" + "".join(f"{shape + ' ' + store:>18}" for shape, store in keys))
        mine = {}
        for key in keys:
            own = [row["cpu_us"] for row in peers if row["impl"].startswith("graphloom") and (row["shape"], row["store"]) == key]
            if not own and (row := by.get((key[0], "sqlite-normal"))):
                own = [row["cpu_us"]]
            # It comes first and last in each shape.
            mine[key] = sum(own) / len(own) if own else None
        print(f"{'graphloom, µs':<22}" + "".join(f"{mine[key]:>18.3f}" if mine[key] else f"{'':>18}" for key in keys))
        for name in names:
            cells = []
            for key in keys:
                row = found.get((name, *key))
                cells.append(times(row["cpu_us"] / mine[key]) if row and mine[key] else "")
            print(f"{name:<22}" + "".join(f"{cell:>18}" for cell in cells))
        for key in keys:
            rivals = [(row["cpu_us"], row["impl"]) for row in peers if row["impl"] in names and (row["shape"], row["store"]) == key]
            if rivals and mine[key]:
                best, name = min(rivals)
                bars.append((mine[key] <= best, f"{' '.join(key)}: {mine[key]:.3f} µs, the fastest peer ({name}) {best:.3f}"))

    for row in syncs:
        met = row["syncs"] <= row["commits"] <= row["asked"]
        bars.append((met, f"SQLite FULL: {row['commits']} transactions and {row['syncs']} syncs of the log for {row['asked']} commits"))
    print("\nbars against the others")
    for met, text in bars:
        print(f"{'met    ' if met else 'not met'}  {text}")


if __name__ == "__main__":
    main()
