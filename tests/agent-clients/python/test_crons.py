"""Schedules: made, found, counted, changed, run and deleted."""

import datetime
import os
import uuid

import pytest
from langgraph_sdk.errors import NotFoundError, UnprocessableEntityError

from frames import until

YEARLY = "0 0 1 1 *"
PIPELINE = "024bfc19-7d06-5d5c-92b5-cec6be8620ae"


@pytest.fixture
async def cron(client):
    """A schedule that is not due while the cases run."""
    made = await client.crons.create("pipeline", schedule=YEARLY, input={"topic": "a"}, metadata={"mark": str(uuid.uuid4())})
    yield made
    try:
        await client.crons.delete(made["cron_id"])
    except NotFoundError:
        pass


async def test_a_cron_is_made_as_given(cron):
    assert uuid.UUID(cron["cron_id"])
    assert (cron["assistant_id"], cron["thread_id"], cron["schedule"], cron["enabled"]) == (PIPELINE, None, YEARLY, True)
    assert cron["payload"]["input"] == {"topic": "a"}
    due = datetime.datetime.fromisoformat(cron["next_run_date"])
    assert (due.month, due.day, due.hour, due.minute) == (1, 1, 0, 0)
    assert due > datetime.datetime.now(datetime.UTC)


async def test_a_cron_can_belong_to_a_thread(client, thread):
    made = await client.crons.create_for_thread(thread, "pipeline", schedule=YEARLY, input={"topic": "a"})
    assert made["thread_id"] == thread
    assert [one["cron_id"] for one in await client.crons.search(thread_id=thread)] == [made["cron_id"]]
    assert await client.crons.count(thread_id=thread) == 1
    await client.crons.delete(made["cron_id"])


async def test_a_time_zone_moves_the_next_run(client):
    made = await client.crons.create("pipeline", schedule="0 12 * * *", timezone="Asia/Tokyo", input={"topic": "a"})
    due = datetime.datetime.fromisoformat(made["next_run_date"]).astimezone(datetime.UTC)
    assert (due.hour, due.minute) == (3, 0)
    await client.crons.delete(made["cron_id"])


async def test_search_finds_by_assistant_and_pages(client, cron):
    found = await client.crons.search(assistant_id=PIPELINE, limit=1000)
    assert cron["cron_id"] in [one["cron_id"] for one in found]
    assert await client.crons.count(assistant_id=PIPELINE) >= 1
    assert await client.crons.search(assistant_id=str(uuid.uuid4())) == []


async def test_a_cron_can_be_changed_and_switched_off(client, cron):
    changed = await client.crons.update(cron["cron_id"], schedule="0 0 2 1 *", enabled=False)
    assert (changed["schedule"], changed["enabled"]) == ("0 0 2 1 *", False)
    (found,) = [one for one in await client.crons.search(assistant_id=PIPELINE, limit=1000) if one["cron_id"] == cron["cron_id"]]
    assert (found["schedule"], found["enabled"]) == ("0 0 2 1 *", False)


async def test_a_cron_is_read_by_its_id(wire, cron):
    answer = await wire.get(f"/runs/crons/{cron['cron_id']}")
    assert answer.status_code == 200
    assert answer.json()["cron_id"] == cron["cron_id"]


async def test_a_deleted_cron_is_gone(client, cron):
    await client.crons.delete(cron["cron_id"])
    with pytest.raises(NotFoundError):
        await client.crons.delete(cron["cron_id"])


@pytest.mark.parametrize("schedule", ["nope", "", "* * * *", "61 * * * *", "* * * * * * * *"])
async def test_a_bad_schedule_is_refused(client, schedule):
    with pytest.raises(UnprocessableEntityError):
        await client.crons.create("pipeline", schedule=schedule)


async def test_a_bad_time_zone_is_refused(client):
    with pytest.raises(UnprocessableEntityError):
        await client.crons.create("pipeline", schedule=YEARLY, timezone="Mars/Olympus")


async def test_a_cron_of_an_unknown_assistant_is_refused(wire):
    answer = await wire.post("/runs/crons", json={"assistant_id": str(uuid.uuid4()), "schedule": YEARLY})
    assert answer.status_code in (404, 422)


@pytest.mark.skipif(not os.environ.get("AGENT_CLIENTS_LONG"), reason="waits up to a minute: set AGENT_CLIENTS_LONG")
@pytest.mark.timeout(90)
async def test_a_cron_runs_when_it_is_due(client, thread):
    made = await client.crons.create_for_thread(thread, "pipeline", schedule="* * * * *", input={"topic": "a"})
    try:
        await until(lambda: client.runs.list(thread), lambda runs: any(run["status"] == "success" for run in runs), 80)
    finally:
        await client.crons.delete(made["cron_id"])
    assert (await client.threads.get_state(thread))["values"]["count"] == 3
