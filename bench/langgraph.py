"""Runs the shapes of graphloom-bench on LangGraph, through its public interface only.

usage: langgraph.py [--json FILE] [--list] [WORD]...

Words choose the cases whose shape and store hold one of them. Every case runs in a process of its own: one run to warm
up, then as many as fit into a few seconds, three at least unless a run takes long; a row has the medians. Graphs are
compiled and stores are opened outside the clock; every run's answer is checked. Durability is `sync`, as everywhere in
the bench.
"""

import asyncio
import json
import operator
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

# The script has the package's name: its own directory must not be searched for it.
sys.path = [place for place in sys.path if os.path.abspath(place or ".") != os.path.dirname(os.path.abspath(__file__))]

BY = "langgraph 1.2.22"
PATIENCE = 2.0
LONG = 8.0


def stores():
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.checkpoint.sqlite import SqliteSaver

    def sqlite(synchronous):
        def open_one(path):
            connection = sqlite3.connect(path, check_same_thread=False)
            saver = SqliteSaver(connection)
            saver.setup()
            connection.execute(f"PRAGMA synchronous={synchronous}")
            return saver, connection.close

        return open_one

    return {
        "none": lambda _: (None, lambda: None),
        "memory": lambda _: (InMemorySaver(), lambda: None),
        "sqlite-normal": sqlite("NORMAL"),
        "sqlite-full": sqlite("FULL"),
    }


def config(thread="bench"):
    return {"configurable": {"thread_id": thread}, "recursion_limit": 1_000_000_000}


def options(saver):
    return {"durability": "sync"} if saver else {}


def check(found, right):
    if found != right:
        raise SystemExit(f"the answer is {found!r} and not {right!r}")


def graph_of(state):
    from langgraph.graph import StateGraph

    return StateGraph(state)


def count_state():
    from typing import Annotated, TypedDict

    class Count(TypedDict):
        n: int
        sum: Annotated[int, operator.add]

    return Count


def tick(state):
    return {"n": state["n"] + 1}


# Each shape builds a graph and answers a function of a saver that makes one run.


def chain(length):
    from langgraph.graph import END, START

    graph = graph_of(count_state())
    for at in range(length):
        graph.add_node(f"n{at:06}", tick)
    graph.add_edge(START, "n000000")
    for at in range(1, length):
        graph.add_edge(f"n{at - 1:06}", f"n{at:06}")
    graph.add_edge(f"n{length - 1:06}", END)
    return graph


def chained(length):
    graph = chain(length)

    def make(saver):
        app = graph.compile(checkpointer=saver)
        return lambda: check(app.invoke({"n": 0}, config(), **options(saver))["n"], length)

    return make


def loop(steps):
    from langgraph.graph import END, START

    graph = graph_of(count_state())
    graph.add_node("tick", tick)
    graph.add_edge(START, "tick")
    graph.add_conditional_edges("tick", lambda state: "tick" if state["n"] < steps else END, ["tick", END])
    return graph


def looped(steps):
    def make(saver):
        app = loop(steps).compile(checkpointer=saver)
        return lambda: check(app.invoke({"n": 0}, config(), **options(saver))["n"], steps)

    return make


def fan_out(branches, subgraph):
    from typing import Annotated, TypedDict

    from langgraph.graph import END, START
    from langgraph.types import Send

    class Child(TypedDict):
        item: int
        results: Annotated[list, operator.add]

    class ChildOutput(TypedDict):
        results: Annotated[list, operator.add]

    class Parent(TypedDict):
        total: int
        results: Annotated[list, operator.add]

    if subgraph:
        from langgraph.graph import StateGraph

        child = StateGraph(Child, output_schema=ChildOutput)
        child.add_node("add", lambda state: {"item": state["item"] + 1})
        child.add_node("double", lambda state: {"item": state["item"] * 2})
        child.add_node("tell", lambda state: {"results": [state["item"]]})
        child.add_edge(START, "add")
        child.add_edge("add", "double")
        child.add_edge("double", "tell")
        child.add_edge("tell", END)
        work, right = child.compile(), sum(2 * (at + 1) for at in range(branches))
    else:
        work, right = (lambda state: {"results": [state["item"]]}), sum(range(branches))
    graph = graph_of(Parent)
    graph.add_node("begin", lambda state: {"total": 0})
    graph.add_node("work", work)
    graph.add_node("last", lambda state: {"total": sum(state["results"])})
    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", lambda _: [Send("work", {"item": at}) for at in range(branches)], ["work"])
    graph.add_edge("work", "last")
    graph.add_edge("last", END)

    def make(saver):
        app = graph.compile(checkpointer=saver)
        return lambda: check(app.invoke({"total": 0, "results": []}, config(), **options(saver))["total"], right)

    return make


def wide(rounds):
    from typing import TypedDict

    from langgraph.graph import END, START

    lists = ["messages", "trigger_events", "memory_docs", "categorizations", "responses"]
    maps = ["user_info", "crm_info", "slack_participants", "notified_assignees"]
    texts = ["primary_issue_medium", "autoresponse", "issue", "relevant_rules", "email_thread_id", "bot_id"]
    fields = {"round": int} | {name: list for name in lists} | {name: dict for name in maps} | {name: str for name in texts}
    graph = graph_of(TypedDict("Wide", fields, total=False))

    def text(at):
        return f"{at:0>300}"

    def items(at):
        return [f"{number}{at:0>99}" for number in range(3)]

    def pairs(at):
        return {f"{number:0>10}": f"{at:0>50}" for number in range(5)}

    def one(state):
        at = state["round"] + min(len(state.get("messages", [])), 1)
        return {"round": at, "trigger_events": items(at), "primary_issue_medium": text(at)}

    def four(state):
        at = state["round"]
        return {"categorizations": items(at), "responses": items(at), "memory_docs": items(at)}

    def five(state):
        at = state["round"]
        return {name: pairs(at) for name in maps} | {"email_thread_id": text(at), "bot_id": text(at)}

    graph.add_node("one", one)
    graph.add_node("two", lambda state: {"autoresponse": text(state["round"]), "issue": text(state["round"])})
    graph.add_node("three", lambda state: {"relevant_rules": text(state["round"])})
    graph.add_node("four", four)
    graph.add_node("five", five)
    graph.add_node("six", lambda state: {"messages": items(state["round"])})
    graph.add_edge(START, "one")
    graph.add_edge("one", "two")
    graph.add_edge("two", "three")
    graph.add_edge("two", "four")
    graph.add_edge(["three", "four"], "five")
    graph.add_edge("five", "six")
    graph.add_conditional_edges("six", lambda state: "one" if state["round"] + 1 < rounds else END, ["one", END])

    def make(saver):
        app = graph.compile(checkpointer=saver)
        return lambda: check(app.invoke({"round": 0}, config(), **options(saver))["round"], rounds - 1)

    return make


def resume(trips):
    from langgraph.graph import START
    from langgraph.types import Command, interrupt

    graph = graph_of(count_state())
    graph.add_node("ask", lambda state: {"n": state["n"] + interrupt({"question": state["n"]})})
    graph.add_edge(START, "ask")
    graph.add_edge("ask", "ask")

    def make(saver):
        app = graph.compile(checkpointer=saver)

        def run():
            app.invoke({"n": 0}, config(), durability="sync")
            for _ in range(trips):
                answer = app.invoke(Command(resume=1), config(), durability="sync")
            check(answer["__interrupt__"][0].value, {"question": trips})

        return run

    return make


def history(checkpoints, states):
    def make(saver):
        # The input and the start are checkpoints of their own.
        app = loop(checkpoints - 2).compile(checkpointer=saver)
        app.invoke({"n": 0}, config(), durability="sync")

        def run():
            found = app.get_state_history(config()) if states else saver.list(config())
            check(sum(1 for _ in found), checkpoints)

        return run

    return make


def growth(turns):
    from typing import Annotated, TypedDict

    from langgraph.graph import END, START

    class Chat(TypedDict):
        messages: Annotated[list, operator.add]

    def answer(state):
        return {"messages": [{"role": "assistant", "content": f"{len(state['messages']):0>1024}"}]}

    graph = graph_of(Chat)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)

    def make(saver):
        app = graph.compile(checkpointer=saver)

        def run():
            for _ in range(turns):
                state = app.invoke({"messages": []}, config(), durability="sync")
            check(len(state["messages"]), turns)

        return run

    return make


def events(count):
    from langgraph.config import get_stream_writer
    from langgraph.graph import END, START

    def tell(_):
        writer = get_stream_writer()
        for at in range(count):
            writer(at)
        return {}

    graph = graph_of(count_state())
    graph.add_node("tell", tell)
    graph.add_edge(START, "tell")
    graph.add_edge("tell", END)

    def make(_):
        app = graph.compile()
        return lambda: check([event for event in app.stream({"n": 0}, stream_mode="custom")], list(range(count)))

    return make


# Shape, unit, units, what makes it, stores.
SYNC = ("none", "memory", "sqlite-normal", "sqlite-full")
KEPT = SYNC[1:]
SHAPES = [
    ("chain1000", "super-step", 1_000, lambda: chained(1_000), SYNC),
    ("loop10k", "super-step", 10_000, lambda: looped(10_000), SYNC[:2]),
    ("loop1000", "super-step", 1_000, lambda: looped(1_000), KEPT),
    ("tasks100", "branch", 100, lambda: fan_out(100, False), SYNC[:2]),
    ("tasks1000", "branch", 1_000, lambda: fan_out(1_000, False), SYNC[:1]),
    ("fanout100", "branch", 100, lambda: fan_out(100, True), SYNC),
    ("fanout1000", "branch", 1_000, lambda: fan_out(1_000, True), SYNC),
    ("wide100", "super-step", 500, lambda: wide(100), SYNC),
    ("resume1000", "round trip", 1_000, lambda: resume(1_000), KEPT),
    ("history1000", "row", 1_000, lambda: history(1_000, False), SYNC[1:3]),
    ("history1000-s", "state", 1_000, lambda: history(1_000, True), SYNC[1:3]),
    ("threads100x20", "super-step", 2_000, None, SYNC),
    ("growth200", "turn", 200, lambda: growth(200), KEPT),
    ("growth1000", "turn", 1_000, lambda: growth(1_000), KEPT),
    ("events10k", "event", 10_000, lambda: events(10_000), SYNC[:1]),
]


async def threads(store, path):
    """A hundred threads at once: a setting up and one run, whose times and bytes are returned."""
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    async def run(saver):
        app = chain(20).compile(checkpointer=saver)
        begun = time.perf_counter(), time.process_time()
        runs = [app.ainvoke({"n": 0}, config(f"t{at}"), **options(saver)) for at in range(100)]
        for state in await asyncio.gather(*runs):
            check(state["n"], 20)
        return time.perf_counter() - begun[0], time.process_time() - begun[1]

    if not store.startswith("sqlite"):
        return await run(InMemorySaver() if store == "memory" else None)
    async with AsyncSqliteSaver.from_conn_string(path) as saver:
        await saver.setup()
        await saver.conn.execute(f"PRAGMA synchronous={store.removeprefix('sqlite-')}")
        return await run(saver)


def measure(shape, unit, units, make, store):
    build = make and make()
    walls, cpus, size, spent = [], [], None, 0.0
    warm = False
    with tempfile.TemporaryDirectory() as folder:
        while spent < PATIENCE or len(walls) < 3:
            path = os.path.join(folder, f"{len(walls)}-{warm}.db")
            if build:
                saver, close = stores()[store](path)
                run = build(saver)
                begun = time.perf_counter(), time.process_time()
                run()
                wall, cpu = time.perf_counter() - begun[0], time.process_time() - begun[1]
                close()
            else:
                wall, cpu = asyncio.run(threads(store, path))
            if store.startswith("sqlite"):
                size = os.path.getsize(path)
            spent += wall
            if warm or wall > LONG:
                walls.append(wall)
                cpus.append(cpu)
            warm = True
            if wall > LONG:
                break
    each = [statistics.median(times) * 1e6 / units for times in (walls, cpus)]
    row = {"impl": BY, "shape": shape, "store": store, "unit": unit, "units": units}
    return row | {"wall_us": each[0], "cpu_us": each[1], "bytes": size}


def cold():
    """A process that imports, compiles, runs three nodes and ends: milliseconds and megabytes."""
    program = (
        "import sys; sys.path.pop(0); sys.argv = ['']\n"
        "import operator, resource\nfrom typing import TypedDict\nfrom langgraph.graph import END, START, StateGraph\n"
        "Count = TypedDict('Count', {'n': int})\ngraph = StateGraph(Count)\n"
        "for at in range(3): graph.add_node(f'n{at}', lambda state: {'n': state['n'] + 1})\n"
        "graph.add_edge(START, 'n0'); graph.add_edge('n0', 'n1'); graph.add_edge('n1', 'n2'); graph.add_edge('n2', END)\n"
        "assert graph.compile().invoke({'n': 0})['n'] == 3\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    times, sizes = [], []
    for _ in range(5):
        begun = time.perf_counter()
        sizes.append(int(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout))
        times.append(time.perf_counter() - begun)
    return {"impl": BY, "shape": "cold", "store": "none", "ms": statistics.median(times) * 1e3, "mb": statistics.median(sizes) / 976.5625}


def main():
    arguments, words, output = sys.argv[1:], [], None
    if arguments[:1] == ["--one"]:
        _, wanted, store = arguments
        shape, unit, units, make, _ = next(row for row in SHAPES if row[0] == wanted)
        return print(json.dumps(measure(shape, unit, units, make, store)))
    listing = False
    while arguments:
        argument = arguments.pop(0)
        if argument == "--json":
            output = arguments.pop(0)
        elif argument == "--list":
            listing = True
        else:
            words.append(argument)
    rows = []
    for shape, _, _, _, on in SHAPES:
        for store in on:
            label = f"{shape} {store}"
            if words and not any(word in label for word in words):
                continue
            if listing:
                print(label)
                continue
            done = subprocess.run([sys.executable, os.path.abspath(__file__), "--one", shape, store], capture_output=True, text=True)
            if done.returncode:
                print(f"{label}: {done.stderr.strip().splitlines()[-1]}", flush=True)
                continue
            row = json.loads(done.stdout)
            size = row["bytes"] if row["bytes"] is not None else ""
            print(f"{shape:<14} {store:<14} {row['wall_us']:>12.1f} {row['cpu_us']:>12.1f} {size:>12}", flush=True)
            rows.append(row)
    if not listing and (not words or any(word in "cold none" for word in words)):
        rows.append(cold())
        print(f"cold           none           {rows[-1]['ms']:.0f} ms, {rows[-1]['mb']:.1f} MB", flush=True)
    if output:
        with open(output, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)


if __name__ == "__main__":
    main()
