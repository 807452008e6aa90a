"""Runs threads of LangGraph at the same time, with its saver for PostgreSQL, and prints steps a second and the median and the 99th
percentile of the milliseconds of a step.

usage: langgraph_steps.py URL THREADS STEPS
"""

import asyncio
import operator
import sys
import time
import uuid
from typing import Annotated, TypedDict

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool


class Work(TypedDict):
    size: int
    done: Annotated[int, operator.add]


async def step(work: Work):
    return {"done": 1}


def graph(saver):
    built = StateGraph(Work)
    built.add_node("step", step)
    built.add_edge(START, "step")
    built.add_conditional_edges("step", lambda work: "step" if work["done"] < work["size"] else END)
    return built.compile(checkpointer=saver)


async def main():
    url, threads, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(url, min_size=20, max_size=20, timeout=600, kwargs=options) as pool:
        saver = AsyncPostgresSaver(pool)
        await saver.setup()
        app = graph(saver)

        async def run(size):
            began = time.perf_counter()
            config = {"configurable": {"thread_id": str(uuid.uuid4())}, "recursion_limit": 1_000_000}
            done = await app.ainvoke({"size": size, "done": 0}, config, durability="sync")
            assert done["done"] == size, done
            return (time.perf_counter() - began) * 1e3 / size

        for _ in range(3):
            await run(5)
        began = time.perf_counter()
        took = sorted(await asyncio.gather(*(run(steps) for _ in range(threads))))
        seconds = time.perf_counter() - began
        print(threads * steps / seconds, took[(len(took) - 1) // 2], took[int((len(took) - 1) * 0.99)])


asyncio.run(main())
