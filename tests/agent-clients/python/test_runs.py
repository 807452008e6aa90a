"""Runs: made, waited for, listed, cancelled, deleted, on threads and without."""

import asyncio
import uuid

import httpx
import pytest
from langgraph_sdk.errors import BadRequestError, ConflictError, NotFoundError, UnprocessableEntityError

from frames import until

DONE = {"topic": "a", "items": ["plan:a", "work:a", "finish:a"], "count": 3}
LONG = {"n": 1000, "delay_ms": 20}


async def running(client, thread, run):
    """Waits until the run has begun and written its first ticks."""
    await until(lambda: client.threads.get_state(thread), lambda state: state["values"].get("ticks"))
    return await client.runs.get(thread, run["run_id"])


async def gone(client, thread, run):
    """Waits until the run is no more."""

    async def ask():
        try:
            return await client.runs.get(thread, run)
        except NotFoundError:
            return None

    await until(ask, lambda answer: answer is None)


async def test_wait_gives_the_final_values(client, thread):
    assert await client.runs.wait(thread, "pipeline", input={"topic": "a"}) == DONE


async def test_an_assistant_is_named_by_graph_or_by_id(client, thread):
    assert await client.runs.wait(thread, "024bfc19-7d06-5d5c-92b5-cec6be8620ae", input={"topic": "a"}) == DONE


async def test_a_stateless_wait_gives_the_final_values(client):
    assert await client.runs.wait(None, "pipeline", input={"topic": "a"}) == DONE


async def test_wait_gives_what_is_asked(client, thread):
    result = await client.runs.wait(thread, "approval", input={"request": "r"})
    assert result["log"] == ["draft"]
    ((asked,),) = [result["__interrupt__"]]
    assert asked["value"] == {"question": "Approve?", "draft": "Draft for r"}
    assert asked["id"] == (await client.threads.get_state(thread))["interrupts"][0]["id"]


async def test_wait_raises_the_failure_of_the_graph(client, thread):
    with pytest.raises(Exception, match="boom: mode=fail"):
        await client.runs.wait(thread, "faulty", input={"mode": "fail"})
    result = await client.runs.wait(thread, "faulty", input={"mode": "fail"}, raise_error=False)
    assert result["__error__"]["message"] == "boom: mode=fail"
    assert result["__error__"]["error"]
    assert [run["status"] for run in await client.runs.list(thread)] == ["error", "error"]


async def test_a_thread_recovers_from_a_failure(client, thread):
    await client.runs.wait(thread, "faulty", input={"mode": "fail"}, raise_error=False)
    result = await client.runs.wait(thread, "faulty", input={"mode": "fine"})
    assert result["log"][-2:] == ["before", "boom"]
    assert (await client.threads.get(thread))["status"] == "idle"


async def test_wait_says_where_the_run_can_be_joined(wire, thread):
    answer = await wire.post(f"/threads/{thread}/runs/wait", json={"assistant_id": "pipeline", "input": {"topic": "a"}})
    run = answer.headers["content-location"]
    assert run.startswith(f"/threads/{thread}/runs/")
    assert answer.headers["location"] == f"{run}/join"


async def test_the_client_learns_the_runs_id_when_it_is_created(client, thread):
    made = []
    await client.runs.wait(thread, "pipeline", input={"topic": "a"}, on_run_created=made.append)
    assert [(one["thread_id"], one["run_id"]) for one in made] == [(thread, (await client.runs.list(thread))[0]["run_id"])]


async def test_a_created_run_is_pending_and_can_be_joined(client, thread):
    run = await client.runs.create(thread, "pipeline", input={"topic": "a"}, metadata={"why": "trial"})
    assert uuid.UUID(run["run_id"]).version == 7
    assert (run["thread_id"], run["status"], run["multitask_strategy"]) == (thread, "pending", "enqueue")
    assert run["assistant_id"] == "024bfc19-7d06-5d5c-92b5-cec6be8620ae"
    assert run["metadata"]["why"] == "trial"
    assert run["kwargs"]["input"] == {"topic": "a"}
    assert await client.runs.join(thread, run["run_id"]) == DONE
    assert await client.runs.join(thread, run["run_id"]) == DONE
    assert (await client.runs.get(thread, run["run_id"]))["status"] == "success"


async def test_the_thread_is_busy_while_a_run_goes_on(client, thread):
    run = await client.runs.create(thread, "ticker", input=LONG)
    assert (await client.threads.get(thread))["status"] == "busy"
    assert (await running(client, thread, run))["status"] == "running"
    await client.runs.cancel(thread, run["run_id"], wait=True)


async def test_a_stateless_run_can_be_created(client):
    run = await client.runs.create(None, "memory", input={"note": "x"}, context={"user_id": str(uuid.uuid4())})
    assert run["status"] == "pending"


async def test_a_stateless_run_leaves_no_thread(client):
    made = []
    await client.runs.wait(None, "pipeline", input={"topic": "a"}, on_run_created=made.append)
    runs = [one async for one in client.runs.stream(None, "pipeline", input={"topic": "a"}, on_run_created=made.append)]
    assert runs
    found = await client.threads.search(metadata={"graph_id": "pipeline"}, limit=1000, select=["thread_id"])
    assert not {one.get("thread_id") for one in made} & {one["thread_id"] for one in found}


async def test_a_stateless_run_can_keep_its_thread(client):
    run = await client.runs.create(None, "pipeline", input={"topic": "a"}, on_completion="keep")
    await client.runs.join(run["thread_id"], run["run_id"])
    assert (await client.threads.get_state(run["thread_id"]))["values"] == DONE


async def test_a_batch_makes_a_run_for_each(client):
    runs = await client.runs.create_batch(
        [{"assistant_id": "pipeline", "input": {"topic": topic}, "on_completion": "keep"} for topic in ("a", "b")]
    )
    assert len({run["run_id"] for run in runs}) == 2
    results = [await client.runs.join(run["thread_id"], run["run_id"]) for run in runs]
    assert [result["topic"] for result in results] == ["a", "b"]


async def test_runs_are_listed_newest_first(client, thread):
    for topic in ("a", "b", "c"):
        await client.runs.wait(thread, "pipeline", input={"topic": topic})
    listed = await client.runs.list(thread)
    assert [run["kwargs"]["input"]["topic"] for run in listed] == ["c", "b", "a"]
    assert [run["run_id"] for run in await client.runs.list(thread, limit=1, offset=1)] == [listed[1]["run_id"]]


async def test_runs_are_listed_by_status_and_by_field(client, thread):
    await client.runs.wait(thread, "pipeline", input={"topic": "a"})
    await client.runs.wait(thread, "faulty", input={"mode": "fail"}, raise_error=False)
    assert [run["status"] for run in await client.runs.list(thread, status="error")] == ["error"]
    assert await client.runs.list(thread, status="pending", limit=1000) == []
    (picked,) = await client.runs.list(thread, status="success", select=["run_id", "status"])
    assert set(picked) == {"run_id", "status"}


async def test_a_deleted_run_is_gone(client, thread):
    run = await client.runs.create(thread, "pipeline", input={"topic": "a"})
    await client.runs.join(thread, run["run_id"])
    await client.runs.delete(thread, run["run_id"])
    with pytest.raises(NotFoundError):
        await client.runs.get(thread, run["run_id"])


async def test_a_cancelled_run_keeps_what_is_done(client, thread):
    run = await client.runs.create(thread, "ticker", input=LONG)
    await running(client, thread, run)
    await client.runs.cancel(thread, run["run_id"], wait=True)
    assert (await client.runs.get(thread, run["run_id"]))["status"] == "interrupted"
    assert (await client.threads.get(thread))["status"] == "interrupted"
    ticks = (await client.threads.get_state(thread))["values"]["ticks"]
    assert 0 < len(ticks) < 1000


async def test_a_cancelled_run_can_be_gone_on_with(client, thread):
    run = await client.runs.create(thread, "ticker", input={"n": 30, "delay_ms": 10})
    await running(client, thread, run)
    await client.runs.cancel(thread, run["run_id"], wait=True)
    result = await client.runs.wait(thread, "ticker", input=None)
    assert result["ticks"] == list(range(1, 31))


async def test_a_run_that_is_rolled_back_leaves_nothing(client, thread):
    await client.runs.wait(thread, "ticker", input={"n": 1, "delay_ms": 0})
    before = await client.threads.get_history(thread)
    run = await client.runs.create(thread, "ticker", input=LONG)
    await until(lambda: client.threads.get_state(thread), lambda state: len(state["values"]["ticks"]) > 1)
    await client.runs.cancel(thread, run["run_id"], wait=True, action="rollback")
    await gone(client, thread, run["run_id"])
    after = await client.threads.get_history(thread)
    assert [one["checkpoint_id"] for one in after] == [one["checkpoint_id"] for one in before]


async def test_cancel_without_waiting_is_accepted(client, wire, thread):
    run = await client.runs.create(thread, "ticker", input=LONG)
    await running(client, thread, run)
    answer = await wire.post(f"/threads/{thread}/runs/{run['run_id']}/cancel", params={"wait": "0"})
    assert (answer.status_code, answer.content) == (202, b"")
    await until(lambda: client.runs.get(thread, run["run_id"]), lambda got: got["status"] == "interrupted")


async def test_a_run_that_waits_its_turn_can_be_cancelled(client, thread):
    first = await client.runs.create(thread, "ticker", input=LONG)
    second = await client.runs.create(thread, "ticker", input=LONG)
    await client.runs.cancel(thread, second["run_id"], wait=True)
    assert (await client.runs.get(thread, second["run_id"]))["status"] == "interrupted"
    await client.runs.cancel(thread, first["run_id"], wait=True)


async def test_a_finished_run_cannot_be_cancelled(wire, client, thread):
    run = await client.runs.create(thread, "pipeline", input={"topic": "a"})
    await client.runs.join(thread, run["run_id"])
    answer = await wire.post(f"/threads/{thread}/runs/{run['run_id']}/cancel", params={"wait": "0"})
    assert answer.status_code == 404
    assert answer.json()["detail"].startswith("No matching runs to cancel")


async def test_several_runs_are_cancelled_by_their_ids(client, thread):
    runs = [await client.runs.create(thread, "ticker", input=LONG) for _ in range(2)]
    await client.runs.cancel_many(thread_id=thread, run_ids=[run["run_id"] for run in runs])
    for run in runs:
        await until(lambda: client.runs.get(thread, run["run_id"]), lambda got: got["status"] == "interrupted")


@pytest.mark.alone
async def test_all_waiting_runs_are_cancelled_by_status(client, thread):
    run = await client.runs.create(thread, "pipeline", input={"topic": "a"}, after_seconds=600)
    await client.runs.cancel_many(status="pending")
    await until(lambda: client.runs.get(thread, run["run_id"]), lambda got: got["status"] == "interrupted")


@pytest.mark.alone
async def test_all_runs_are_cancelled_by_status(client, thread):
    run = await client.runs.create(thread, "ticker", input=LONG)
    await running(client, thread, run)
    await client.runs.cancel_many(status="all")
    await until(lambda: client.runs.get(thread, run["run_id"]), lambda got: got["status"] == "interrupted")


async def test_runs_are_cancelled_by_status_or_by_ids_but_not_both(client, thread):
    with pytest.raises(UnprocessableEntityError):
        await client.runs.cancel_many(status="pending", thread_id=thread, run_ids=[str(uuid.uuid4())])


# What a run does while another goes on.


async def test_a_second_run_is_refused_if_it_says_so(client, wire, thread):
    first = await client.runs.create(thread, "ticker", input=LONG)
    with pytest.raises(ConflictError):
        await client.runs.create(thread, "ticker", input=LONG, multitask_strategy="reject")
    answer = await wire.post(f"/threads/{thread}/runs", json={"assistant_id": "ticker", "input": LONG, "multitask_strategy": "reject"})
    assert answer.json()["detail"].startswith("Thread is already running a task")
    await client.runs.cancel(thread, first["run_id"], wait=True)


async def test_a_second_run_waits_its_turn(client, thread):
    runs = [await client.runs.create(thread, "ticker", input={"n": n, "delay_ms": 5}, multitask_strategy="enqueue") for n in (3, 5)]
    assert (await client.runs.get(thread, runs[1]["run_id"]))["status"] == "pending"
    result = await client.runs.join(thread, runs[1]["run_id"])
    assert result["ticks"] == [1, 2, 3, 4, 5]
    assert [run["status"] for run in await client.runs.list(thread)] == ["success", "success"]


async def test_runs_of_a_queue_keep_their_order(client, thread):
    runs = [await client.runs.create(thread, "pipeline", input={"topic": str(n)}) for n in range(4)]
    result = await client.runs.join(thread, runs[-1]["run_id"])
    assert [item for item in result["items"] if item.startswith("plan")] == ["plan:0", "plan:1", "plan:2", "plan:3"]


async def test_a_second_run_can_interrupt_the_first(client, thread):
    first = await client.runs.create(thread, "ticker", input=LONG)
    await running(client, thread, first)
    result = await client.runs.wait(thread, "ticker", input={"n": 3, "delay_ms": 0}, multitask_strategy="interrupt")
    assert (await client.runs.get(thread, first["run_id"]))["status"] == "interrupted"
    assert result["ticks"] == list(range(1, len(result["ticks"]) + 1))


async def test_a_second_run_can_roll_the_first_back(client, thread):
    first = await client.runs.create(thread, "ticker", input=LONG)
    await running(client, thread, first)
    result = await client.runs.wait(thread, "ticker", input={"n": 2, "delay_ms": 0}, multitask_strategy="rollback")
    assert result["ticks"] == [1, 2]
    await gone(client, thread, first["run_id"])


# How a run is made and kept.


async def test_a_run_on_an_unknown_thread_is_refused_or_makes_it(client, wire):
    unknown = str(uuid.uuid4())
    answer = await wire.post(f"/threads/{unknown}/runs", json={"assistant_id": "pipeline", "input": {"topic": "a"}})
    assert (answer.status_code, answer.json()["detail"]) == (404, "Thread or assistant not found.")
    assert await client.runs.wait(unknown, "pipeline", input={"topic": "a"}, if_not_exists="create") == DONE


async def test_a_run_of_an_unknown_assistant_is_not_found(client, wire, thread):
    answer = await wire.post(f"/threads/{thread}/runs", json={"assistant_id": str(uuid.uuid4()), "input": {}})
    assert answer.status_code == 404


async def test_a_run_of_an_unknown_graph_is_told_which_there_are(wire, thread):
    answer = await wire.post(f"/threads/{thread}/runs", json={"assistant_id": "no_such_graph", "input": {}})
    assert answer.status_code == 422
    assert "pipeline" in answer.json()["detail"]


async def test_a_run_can_start_later(client, thread):
    run = await client.runs.create(thread, "pipeline", input={"topic": "a"}, after_seconds=1)
    assert run["status"] == "pending"
    assert (await client.threads.get_state(thread))["values"] == {}
    assert (await client.runs.get(thread, run["run_id"]))["status"] == "pending"
    assert await client.runs.join(thread, run["run_id"]) == DONE
    assert (await client.threads.get(thread))["updated_at"] > run["created_at"]


@pytest.mark.parametrize(("durability", "checkpoints"), [("sync", 5), ("async", 5), ("exit", 1)])
async def test_durability_says_which_checkpoints_are_kept(client, thread, durability, checkpoints):
    await client.runs.wait(thread, "pipeline", input={"topic": "a"}, durability=durability)
    assert len(await client.threads.get_history(thread)) == checkpoints
    assert (await client.threads.get_state(thread))["values"] == DONE


async def test_the_number_of_super_steps_is_limited(client, thread):
    result = await client.runs.wait(thread, "ticker", input={"n": 10, "delay_ms": 0}, config={"recursion_limit": 3}, raise_error=False)
    assert result["__error__"]["error"] == "GraphRecursionError"
    assert len((await client.threads.get_state(thread))["values"]["ticks"]) == 3


async def test_context_reaches_the_graph(client):
    user = str(uuid.uuid4())
    by_context = await client.runs.wait(None, "memory", input={"note": "x"}, context={"user_id": user})
    by_config = await client.runs.wait(None, "memory", input={"note": "y"}, config={"configurable": {"user_id": user}})
    assert (by_context["who"], by_config["who"]) == (user, user)
    assert by_config["recalled"] == ["x", "y"]


async def test_context_and_configurable_together_are_refused(client, thread):
    with pytest.raises((BadRequestError, httpx.HTTPStatusError)) as refused:
        await client.runs.wait(thread, "memory", input={"note": "x"}, context={"user_id": "a"}, config={"configurable": {"user_id": "b"}})
    assert refused.value.response.status_code == 400


async def test_an_answer_without_a_thread_is_refused(wire):
    answer = await wire.post("/runs/wait", json={"assistant_id": "approval", "command": {"resume": "approve"}})
    assert answer.status_code == 400


async def test_the_client_can_go_without_ending_the_run(client, wire, thread):
    run = None
    async with wire.stream("POST", f"/threads/{thread}/runs/stream", json={"assistant_id": "ticker", "input": {"n": 5, "delay_ms": 20}}) as answer:
        run = answer.headers["content-location"].rsplit("/", 1)[1]
    assert (await client.runs.join(thread, run))["ticks"] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("how", ["on_disconnect", "cancel_on_disconnect"])
async def test_the_run_can_end_with_its_client(client, wire, thread, how):
    if how == "on_disconnect":
        request = ("POST", f"/threads/{thread}/runs/stream")
        more = {"json": {"assistant_id": "ticker", "input": LONG, "on_disconnect": "cancel"}}
    else:
        run = await client.runs.create(thread, "ticker", input=LONG)
        request = ("GET", f"/threads/{thread}/runs/{run['run_id']}/stream")
        more = {"params": {"cancel_on_disconnect": "true"}}
    async with wire.stream(*request, **more) as answer:
        async for text in answer.aiter_text():
            if "event: values" in text:
                break
    (run,) = await client.runs.list(thread)
    await until(lambda: client.runs.get(thread, run["run_id"]), lambda got: got["status"] == "interrupted")


async def test_many_runs_go_on_at_once(client):
    results = await asyncio.gather(*(client.runs.wait(None, "pipeline", input={"topic": str(n)}) for n in range(24)))
    assert [result["items"][0] for result in results] == [f"plan:{n}" for n in range(24)]


# What is refused.


@pytest.mark.parametrize("call", ["get", "join", "delete", "cancel"])
async def test_an_unknown_run_is_not_found(client, thread, call):
    with pytest.raises((NotFoundError, httpx.HTTPStatusError)) as refused:
        await getattr(client.runs, call)(thread, str(uuid.uuid4()))
    assert refused.value.response.status_code == 404


BAD = {
    "no assistant": {"input": {}},
    "an assistant that is a number": {"assistant_id": 1},
    "an unknown stream mode": {"assistant_id": "pipeline", "stream_mode": "no_such_mode"},
    "the stream mode tools": {"assistant_id": "pipeline", "stream_mode": ["tools"]},
    "the stream mode lifecycle": {"assistant_id": "pipeline", "stream_mode": ["lifecycle"]},
    "an unknown strategy": {"assistant_id": "pipeline", "multitask_strategy": "maybe"},
    "an unknown durability": {"assistant_id": "pipeline", "durability": "perhaps"},
    "an unknown action on disconnection": {"assistant_id": "pipeline", "on_disconnect": "cry"},
    "a configuration that is a list": {"assistant_id": "pipeline", "config": []},
    "metadata that are a text": {"assistant_id": "pipeline", "metadata": "x"},
    "a list": [],
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("route", ["runs", "runs/wait", "runs/stream"])
async def test_a_bad_body_is_refused_and_makes_no_run(client, wire, thread, route, body):
    answer = await wire.post(f"/threads/{thread}/{route}", json=body)
    assert answer.status_code == 422
    assert isinstance(answer.json()["detail"], str)
    assert await client.runs.list(thread) == []


@pytest.mark.parametrize("text", ["{", "", "nothing", '{"a":1}}', "\ufeff{}"], ids=["open", "empty", "word", "two", "mark"])
async def test_a_body_that_is_not_json_is_refused(wire, thread, text):
    answer = await wire.post(f"/threads/{thread}/runs", content=text.encode(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["detail"] == "Invalid JSON in request body"


async def test_a_body_of_unknown_fields_is_taken(client, wire, thread):
    answer = await wire.post(f"/threads/{thread}/runs/wait", json={"assistant_id": "pipeline", "input": {"topic": "a"}, "from_the_future": True})
    assert answer.json() == DONE


async def test_a_webhook_to_a_private_address_is_denied(wire, thread):
    answer = await wire.post(
        f"/threads/{thread}/runs", json={"assistant_id": "pipeline", "input": {"topic": "a"}, "webhook": "http://127.0.0.1:9/hook"}
    )
    assert answer.status_code in (400, 403, 422)
    assert isinstance(answer.json()["detail"], str)
