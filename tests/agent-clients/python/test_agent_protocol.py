"""The routes of the Agent Protocol that differ from LangGraph's: agents, and runs without their thread."""

import uuid

import pytest

from frames import parse

PIPELINE = "024bfc19-7d06-5d5c-92b5-cec6be8620ae"


@pytest.fixture
async def run(wire):
    """A finished run that is kept."""
    answer = await wire.post("/runs", json={"agent_id": PIPELINE, "assistant_id": PIPELINE, "input": {"topic": "a"}, "on_completion": "keep"})
    run = answer.json()
    await wire.get(f"/runs/{run['run_id']}/wait")
    return run


async def test_agents_are_searched(wire):
    agents = (await wire.post("/agents/search", json={"name": "pipeline", "limit": 100})).json()
    assert PIPELINE in [agent["agent_id"] for agent in agents]


async def test_an_agent_is_read_with_its_schemas(wire):
    agent = (await wire.get(f"/agents/{PIPELINE}")).json()
    assert (agent["agent_id"], agent["name"]) == (PIPELINE, "pipeline")
    assert "capabilities" in agent
    schemas = (await wire.get(f"/agents/{PIPELINE}/schemas")).json()
    assert "topic" in schemas["input_schema"]["properties"]
    assert (await wire.get(f"/agents/{uuid.uuid4()}")).status_code == 404


async def test_a_run_is_read_without_its_thread(wire, run):
    got = (await wire.get(f"/runs/{run['run_id']}")).json()
    assert (got["run_id"], got["status"]) == (run["run_id"], "success")


async def test_a_run_is_waited_for_without_its_thread(wire, run):
    answer = (await wire.get(f"/runs/{run['run_id']}/wait")).json()
    assert answer.get("values", answer)["count"] == 3


async def test_a_run_is_streamed_without_its_thread(wire, run):
    answer = await wire.get(f"/runs/{run['run_id']}/stream", headers={"Last-Event-ID": "-1"})
    assert "values" in [frame.event for frame in parse(answer.text)]


async def test_runs_are_searched(wire, run):
    found = (await wire.post("/runs/search", json={"thread_id": run["thread_id"], "status": "success"})).json()
    assert [one["run_id"] for one in found] == [run["run_id"]]


async def test_a_run_is_cancelled_without_its_thread(wire):
    made = (await wire.post("/runs", json={"assistant_id": "ticker", "input": {"n": 1000, "delay_ms": 20}, "on_completion": "keep"})).json()
    assert (await wire.post(f"/runs/{made['run_id']}/cancel", params={"wait": "1"})).status_code in (200, 202, 204)
    assert (await wire.get(f"/runs/{made['run_id']}")).json()["status"] == "interrupted"


async def test_a_run_is_deleted_without_its_thread(wire, run):
    assert (await wire.delete(f"/runs/{run['run_id']}")).status_code in (200, 204)
    assert (await wire.get(f"/runs/{run['run_id']}")).status_code == 404
