"""Streams of runs: every mode, the order inside a super-step, namespaces, and how a stream ends."""

import asyncio
import json
import uuid

import httpx
import pytest

from frames import collect, ids_of, parse, read, without_end

MODES = ["values", "updates", "custom", "tasks", "checkpoints", "debug", "messages", "events"]


async def frames_of(wire, thread, graph, value, mode, **more):
    route = f"/threads/{thread}/runs/stream" if thread else "/runs/stream"
    answer = await wire.post(route, json={"assistant_id": graph, "input": value, "stream_mode": mode, **more})
    assert answer.status_code == 200, answer.text
    return parse(answer.text)


def brief(frame):
    """A frame in a word or two, for the order of frames."""
    data = frame.data
    match frame.event:
        case "values":
            return f"values {len(data['items'])}"
        case "updates":
            return f"updates {next(iter(data))}"
        case "custom":
            return f"custom {data['progress']}"
        case "tasks":
            return f"{'start' if 'input' in data else 'end'} {data['name']}"
        case "checkpoints":
            return f"checkpoint {data['metadata']['step']}"
    return frame.event


async def test_a_stream_has_the_headers_of_one(wire, thread):
    async with wire.stream("POST", f"/threads/{thread}/runs/stream", json={"assistant_id": "pipeline", "input": {"topic": "a"}}) as answer:
        text = (await answer.aread()).decode()
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-accel-buffering"] == "no"
    run = answer.headers["content-location"]
    assert run.startswith(f"/threads/{thread}/runs/")
    assert answer.headers["location"] == f"{run}/stream"
    assert text.startswith("event: metadata\r\n")
    assert "\r\n\r\n" in text


async def test_the_first_frame_names_the_run(wire, client, thread):
    first = (await frames_of(wire, thread, "pipeline", {"topic": "a"}, "values"))[0]
    assert first.event == "metadata"
    assert first.data == {"run_id": (await client.runs.list(thread))[0]["run_id"], "attempt": 1}


@pytest.mark.parametrize(("graph", "value", "status"), [("pipeline", {"topic": "a"}, "success"), ("approval", {"request": "r"}, "success")])
async def test_the_last_frame_says_that_the_run_has_ended(wire, client, thread, graph, value, status):
    last = (await frames_of(wire, thread, graph, value, "values"))[-1]
    assert last.event == "end"
    assert last.data == {"run_id": (await client.runs.list(thread))[0]["run_id"], "status": status}


@pytest.mark.parametrize("mode", ["values", [], ["values"]], ids=["text", "nothing", "list"])
async def test_values_come_after_the_input_and_after_each_super_step(wire, thread, mode):
    frames = without_end(await frames_of(wire, thread, "pipeline", {"topic": "a"}, mode))
    assert [frame.event for frame in frames] == ["metadata"] + ["values"] * 4
    assert [frame.data for frame in frames[1:]] == [
        {"topic": "a", "items": []},
        {"topic": "a", "items": ["plan:a"]},
        {"topic": "a", "items": ["plan:a", "work:a"]},
        {"topic": "a", "items": ["plan:a", "work:a", "finish:a"], "count": 3},
    ]


async def test_updates_come_as_each_task_ends(wire, thread):
    frames = without_end(await frames_of(wire, thread, "pipeline", {"topic": "a"}, "updates"))
    assert [frame.data for frame in frames[1:]] == [
        {"plan": {"items": ["plan:a"]}},
        {"work": {"items": ["work:a"]}},
        {"finish": {"items": ["finish:a"], "count": 3}},
    ]


async def test_the_update_of_a_node_that_writes_nothing_is_null(wire, thread):
    frames = without_end(await frames_of(wire, thread, "fanout", {"names": ["a", "b"]}, "updates"))
    updates = [frame.data for frame in frames[1:]]
    assert updates[0] == {"split": None}
    assert sorted(one["worker"]["results"][0] for one in updates[1:3]) == ["a:ok", "b:ok"]
    assert updates[3] == {"join": {"results": ["total:2"]}}


async def test_results_of_sends_are_in_the_order_of_the_sends(client):
    names = [f"n{n}" for n in range(20)]
    result = await client.runs.wait(None, "fanout", input={"names": names})
    assert result["results"] == [f"{name}:ok" for name in names] + ["total:20"]


async def test_custom_frames_are_what_the_node_wrote(wire, thread):
    frames = without_end(await frames_of(wire, thread, "pipeline", {"topic": "a"}, "custom"))
    assert [frame.data for frame in frames[1:]] == [{"progress": n, "of": 3} for n in (1, 2, 3)]


async def test_custom_frames_come_while_the_node_runs(client, thread):
    seen = []
    async for part in client.runs.stream(thread, "ticker", input={"n": 3, "delay_ms": 5}, stream_mode=["values", "custom"]):
        if part.event == "custom":
            seen.append(part.data["tick"])
        elif part.event == "values":
            assert seen == part.data["ticks"]
    assert seen == [1, 2, 3]


async def test_tasks_have_a_start_and_an_end(wire, thread):
    frames = without_end(await frames_of(wire, thread, "pipeline", {"topic": "a"}, "tasks"))[1:]
    assert [frame.event for frame in frames] == ["tasks"] * 6
    start, end = frames[0].data, frames[1].data
    assert (start["name"], start["input"], start["triggers"]) == ("plan", {"topic": "a", "items": []}, ["branch:to:plan"])
    assert start["id"] == end["id"]
    assert uuid.UUID(start["id"])
    assert (end["name"], end["error"], end["result"], end["interrupts"]) == ("plan", None, {"items": ["plan:a"]}, [])


async def test_checkpoints_are_those_of_the_history(wire, client, thread):
    frames = without_end(await frames_of(wire, thread, "pipeline", {"topic": "a"}, "checkpoints"))[1:]
    history = (await client.threads.get_history(thread))[::-1]
    assert [frame.event for frame in frames] == ["checkpoints"] * 5
    assert [frame.data["config"]["configurable"]["checkpoint_id"] for frame in frames] == [one["checkpoint_id"] for one in history]
    assert [frame.data["values"] for frame in frames[1:]] == [one["values"] for one in history[1:]]
    assert [frame.data["next"] for frame in frames] == [one["next"] for one in history]
    assert [frame.data["metadata"]["step"] for frame in frames] == [-1, 0, 1, 2, 3]
    assert frames[0].data["parent_config"] is None
    assert frames[1].data["parent_config"]["configurable"]["checkpoint_id"] == history[0]["checkpoint_id"]
    assert frames[0].data["config"]["configurable"]["thread_id"] == thread


async def test_debug_frames_have_steps_types_and_payloads(wire, thread):
    frames = without_end(await frames_of(wire, thread, "pipeline", {"topic": "a"}, "debug"))[1:]
    steps = [(frame.data["step"], frame.data["type"]) for frame in frames]
    assert steps == [
        (-1, "checkpoint"), (0, "checkpoint"),
        (1, "task"), (1, "task_result"), (1, "checkpoint"),
        (2, "task"), (2, "task_result"), (2, "checkpoint"),
        (3, "task"), (3, "task_result"), (3, "checkpoint"),
    ]  # fmt: skip
    assert frames[2].data["payload"]["name"] == "plan"
    assert frames[3].data["payload"]["result"] == {"items": ["plan:a"]}
    assert frames[4].data["payload"]["checkpoint"]["thread_id"] == thread
    assert frames[4].data["payload"]["parent_checkpoint"] == frames[1].data["payload"]["checkpoint"]
    assert all(frame.data["timestamp"].endswith("+00:00") for frame in frames)


async def test_message_chunks_are_those_of_the_model(wire, thread):
    frames = without_end(await frames_of(wire, thread, "echo_chat", {"messages": [{"role": "user", "content": "hi there"}]}, "messages-tuple"))
    assert {frame.event for frame in frames[1:]} == {"messages"}
    chunks = [frame.data[0] for frame in frames[1:]]
    assert [chunk["content"] for chunk in chunks if chunk["content"]] == ["Echo:", " ", "hi", " ", "there"]
    assert len({chunk["id"] for chunk in chunks}) == 1
    assert {chunk["type"] for chunk in chunks} == {"AIMessageChunk"}
    assert chunks[-1]["chunk_position"] == "last"
    meta = frames[1].data[1]
    assert (meta["langgraph_node"], meta["langgraph_step"], meta["thread_id"], meta["graph_id"]) == ("model", 1, thread, "echo_chat")
    assert meta["langgraph_triggers"] == ["branch:to:model"]
    assert meta["langgraph_path"] == ["__pregel_pull", "model"]
    assert meta["langgraph_checkpoint_ns"].startswith("model:")
    assert meta["run_id"] == frames[0].data["run_id"]


async def test_the_kept_message_has_the_id_of_its_chunks(wire, client, thread):
    frames = await frames_of(wire, thread, "echo_chat", {"messages": [{"role": "user", "content": "hi"}]}, "messages-tuple")
    kept = (await client.threads.get_state(thread))["values"]["messages"][-1]
    assert kept["id"] == frames[1].data[0]["id"]


async def test_partial_messages_grow(wire, thread):
    frames = without_end(await frames_of(wire, thread, "echo_chat", {"messages": [{"role": "user", "content": "hi there"}]}, "messages"))
    about, *partial = frames[1:]
    assert about.event == "messages/metadata"
    ((message, held),) = about.data.items()
    assert held["metadata"]["langgraph_node"] == "model"
    assert [frame.event for frame in partial] == ["messages/partial"] * len(partial)
    texts = [frame.data[0]["content"] for frame in partial]
    assert texts[:5] == ["Echo:", "Echo: ", "Echo: hi", "Echo: hi ", "Echo: hi there"]
    assert {(frame.data[0]["type"], frame.data[0]["id"]) for frame in partial} == {("ai", message)}


async def test_events_begin_and_end_with_the_graph(wire, thread):
    frames = without_end(await frames_of(wire, thread, "echo_chat", {"messages": [{"role": "user", "content": "hi there"}]}, "events"))[1:]
    events = [frame.data for frame in frames]
    assert (events[0]["event"], events[0]["name"]) == ("on_chain_start", "echo_chat")
    assert (events[-1]["event"], events[-1]["name"]) == ("on_chain_end", "echo_chat")
    kinds = [one["event"] for one in events]
    for kind in ("on_chat_model_start", "on_chat_model_stream", "on_chat_model_end"):
        assert kind in kinds
    said = [one["data"]["chunk"]["content"] for one in events if one["event"] == "on_chat_model_stream"]
    assert "".join(said) == "Echo: hi there"
    node = next(one for one in events if one["event"] == "on_chain_start" and one["name"] == "model")
    assert node["parent_ids"] == [events[0]["run_id"]]


async def test_several_modes_come_in_order(wire, thread):
    frames = without_end(await frames_of(wire, thread, "pipeline", {"topic": "a"}, ["values", "updates", "custom"]))
    assert [brief(frame) for frame in frames] == [
        "metadata", "values 0", "updates plan", "values 1",
        "custom 1", "custom 2", "custom 3", "updates work", "values 2", "updates finish", "values 3",
    ]  # fmt: skip


async def test_the_order_inside_a_super_step_is_kept(wire, thread):
    frames = without_end(await frames_of(wire, thread, "pipeline", {"topic": "a"}, ["values", "updates", "custom", "tasks", "checkpoints"]))
    order = [brief(frame) for frame in frames]
    for step in (
        ["start plan", "updates plan", "end plan", "values 1"],
        ["start work", "custom 1", "custom 2", "custom 3", "updates work", "end work", "values 2"],
        ["start finish", "updates finish", "end finish", "values 3"],
    ):
        places = [order.index(one) for one in step]
        assert places == sorted(places), order
    for step, first, last in ((1, "end plan", "start work"), (2, "end work", "start finish")):
        assert order.index(first) < order.index(f"checkpoint {step}") < order.index(last)
    assert order.index("checkpoint -1") < order.index("values 0") < order.index("start plan")


async def test_subgraphs_are_named_in_the_event(wire, client, thread):
    frames = await frames_of(wire, thread, "nested", {"text": " hi "}, ["updates", "values"], stream_subgraphs=True)
    inner = [frame for frame in frames if "|" in frame.event]
    (namespace,) = {frame.event.split("|", 1)[1] for frame in inner}
    name, _, task = namespace.partition(":")
    assert name == "child"
    assert uuid.UUID(task)
    assert [frame.data for frame in inner if frame.event.startswith("updates|")] == [
        {"upper": {"text": "HI", "trail": ["child.upper"]}},
        {"confirm": {"text": "HI", "trail": ["child.confirm"]}},
    ]
    outer = [next(iter(frame.data)) for frame in frames if frame.event == "updates"]
    assert outer == ["prepare", "child", "wrap"]
    events = [frame.event for frame in frames]
    whole = [(frame.event, next(iter(frame.data))) for frame in frames if frame.event.startswith("updates")]
    assert [node for _, node in whole] == ["prepare", "upper", "confirm", "child", "wrap"], events


async def test_subgraphs_are_silent_otherwise(wire, thread):
    frames = await frames_of(wire, thread, "nested", {"text": " hi "}, ["updates", "values"])
    assert not [frame.event for frame in frames if "|" in frame.event]
    assert [next(iter(frame.data)) for frame in frames if frame.event == "updates"] == ["prepare", "child", "wrap"]


async def test_a_question_comes_as_an_update_and_with_the_values(wire, client, thread):
    frames = without_end(await frames_of(wire, thread, "approval", {"request": "r"}, ["values", "updates"]))
    asked = (await client.threads.get_state(thread))["interrupts"][0]
    update, last = frames[-2:]
    assert update.event == "updates"
    assert [(one["id"], one["value"]) for one in update.data["__interrupt__"]] == [(asked["id"], asked["value"])]
    assert last.event == "values"
    assert last.data["log"] == ["draft"]
    assert last.data["__interrupt__"][0]["id"] == asked["id"]


async def test_a_question_in_a_subgraph_comes_with_its_namespace(wire, thread):
    frames = await frames_of(wire, thread, "nested", {"text": " hi ", "ask": True}, ["updates"], stream_subgraphs=True)
    asked = [frame.event.split("|")[0] + ("|child" if "|child:" in frame.event else "") for frame in frames if "__interrupt__" in str(frame.data)]
    assert asked == ["updates|child", "updates"]


@pytest.mark.parametrize("route", ["threads", "stateless"])
async def test_a_failure_is_a_frame_and_the_status_stays_200(wire, thread, route):
    frames = await frames_of(wire, thread if route == "threads" else None, "faulty", {"mode": "fail"}, "values")
    errors = [frame for frame in frames if frame.event == "error"]
    assert [frame.data["message"] for frame in errors] == ["boom: mode=fail"]
    assert errors[0].data["error"]
    assert frames[-1].event in ("error", "end")


async def test_the_typed_client_reads_every_mode(client, thread):
    parts = await collect(client.runs.stream(thread, "echo_chat", input={"messages": [{"role": "user", "content": "hi"}]}, stream_mode=MODES))
    seen = {part.event for part in parts}
    for event in ("metadata", "values", "updates", "tasks", "checkpoints", "debug", "messages/partial", "messages/metadata", "events"):
        assert event in seen, event


async def test_the_typed_client_reads_its_second_version(client, thread):
    parts = await collect(client.runs.stream(thread, "pipeline", input={"topic": "a"}, stream_mode=["values", "updates", "custom"], version="v2"))
    kinds = [part["type"] for part in parts]
    assert kinds.count("custom") == 3
    assert kinds.count("updates") == 3
    assert kinds.count("values") == 4


async def test_a_stateless_stream_says_where_it_is(wire):
    async with wire.stream("POST", "/runs/stream", json={"assistant_id": "pipeline", "input": {"topic": "a"}}) as answer:
        await answer.aread()
    assert answer.headers["location"] == f"{answer.headers['content-location']}/stream"


# A stream that is taken up again.


async def resumable(client, thread, n=4):
    """A finished run whose stream can be read again."""
    run = await client.runs.create(
        thread, "ticker", input={"n": n, "delay_ms": 0}, stream_mode=["values", "custom", "updates", "tasks"], stream_resumable=True
    )
    await client.runs.join(thread, run["run_id"])
    return f"/threads/{thread}/runs/{run['run_id']}/stream"


async def again(wire, path, last, **params):
    return parse((await wire.get(path, headers={"Last-Event-ID": last}, params=params)).text)


async def test_ids_of_frames_are_unique_and_increasing(wire, client, thread):
    frames = await again(wire, await resumable(client, thread, 20), "-1")
    ids = ids_of(frames)
    assert len(ids) == len(frames)
    assert len(set(ids)) == len(ids)
    assert ids == sorted(ids)


async def test_every_stream_has_ids_without_being_asked(wire, thread):
    frames = await frames_of(wire, thread, "pipeline", {"topic": "a"}, ["values", "updates"])
    assert all(frame.id for frame in frames)


async def test_a_finished_run_can_be_read_from_its_beginning(wire, client, thread):
    frames = without_end(await again(wire, await resumable(client, thread), "-1"))
    assert frames[0].event == "metadata"
    assert [frame.data["tick"] for frame in frames if frame.event == "custom"] == [1, 2, 3, 4]
    assert [len(frame.data["ticks"]) for frame in frames if frame.event == "values"] == [0, 1, 2, 3, 4]


async def test_a_stream_goes_on_after_any_of_its_frames_without_loss_or_repeat(wire, client, thread):
    path = await resumable(client, thread, 8)
    whole = await again(wire, path, "-1")
    for place, frame in enumerate(whole[:-1]):
        assert await again(wire, path, frame.id) == whole[place + 1 :]


async def test_a_stream_goes_on_where_its_reader_left_while_the_run_goes_on(wire, client, thread):
    seen = []
    body = {"assistant_id": "ticker", "input": {"n": 20, "delay_ms": 5}, "stream_mode": ["custom"], "stream_resumable": True}
    async with wire.stream("POST", f"/threads/{thread}/runs/stream", json=body) as answer:
        path = answer.headers["location"]
        async for frame in read(answer):
            seen.append(frame)
            if len(seen) == 5:
                break
    seen += await again(wire, path, seen[-1].id)
    assert [frame.data["tick"] for frame in seen if frame.event == "custom"] == list(range(1, 21))


async def test_a_joined_stream_gives_only_the_modes_asked_for(client, thread):
    run = await client.runs.create(thread, "ticker", input={"n": 3, "delay_ms": 0}, stream_mode=["values", "custom"], stream_resumable=True)
    await client.runs.join(thread, run["run_id"])
    for mode in ("custom", ["custom"]):
        parts = await collect(client.runs.join_stream(thread, run["run_id"], stream_mode=mode, last_event_id="-1"))
        assert {part.event for part in parts} - {"metadata", "end"} == {"custom"}


@pytest.mark.parametrize("mode", ['["custom"]', "custom"])
async def test_the_modes_of_a_joined_stream_may_be_json(wire, client, thread, mode):
    frames = await again(wire, await resumable(client, thread), "-1", stream_mode=mode)
    assert {frame.event for frame in frames} - {"metadata", "end"} == {"custom"}


async def test_a_joined_stream_of_a_run_that_goes_on_is_live(client, thread):
    run = await client.runs.create(thread, "ticker", input={"n": 10, "delay_ms": 20}, stream_mode="custom", stream_resumable=True)
    parts = await collect(client.runs.join_stream(thread, run["run_id"], last_event_id="-1"))
    assert [part.data["tick"] for part in parts if part.event == "custom"] == list(range(1, 11))


async def test_a_stateless_stream_can_be_taken_up(wire):
    seen = []
    body = {"assistant_id": "ticker", "input": {"n": 20, "delay_ms": 5}, "stream_mode": ["custom"], "stream_resumable": True}
    async with wire.stream("POST", "/runs/stream", json=body) as answer:
        path = answer.headers["location"]
        async for frame in read(answer):
            seen.append(frame)
            if len(seen) == 5:
                break
    rest = await wire.get(path, headers={"Last-Event-ID": seen[-1].id})
    assert rest.status_code == 200
    seen += parse(rest.text)
    assert [frame.data["tick"] for frame in seen if frame.event == "custom"] == list(range(1, 21))


async def test_the_stream_of_an_unknown_run_is_not_found(wire, thread):
    async with wire.stream("GET", f"/threads/{thread}/runs/{uuid.uuid4()}/stream") as answer:
        assert answer.status_code == 404


async def test_a_slow_reader_gets_everything(wire, thread):
    body = {"assistant_id": "ticker", "input": {"n": 300, "delay_ms": 0}, "stream_mode": ["values", "custom"], "config": {"recursion_limit": 1000}}
    seen = []
    async with wire.stream("POST", f"/threads/{thread}/runs/stream", json=body, timeout=httpx.Timeout(40)) as answer:
        async for frame in read(answer):
            seen.append(frame)
    assert [frame.data["tick"] for frame in seen if frame.event == "custom"] == list(range(1, 301))


async def test_a_quiet_stream_and_a_quiet_wait_show_that_they_live(wire):
    """Comments in a stream and line ends in an answer that is awaited, each five seconds."""
    body = {"assistant_id": "ticker", "input": {"n": 1, "delay_ms": 5600}}

    async def text(route, **more):
        async with wire.stream("POST", route, json=body | more) as answer:
            return "".join([text async for text in answer.aiter_text()])

    streamed, waited = await asyncio.gather(text("/runs/stream", stream_mode="updates"), text("/runs/wait"))
    assert ": heartbeat" in streamed
    assert [frame.event for frame in without_end(parse(streamed))] == ["metadata", "updates"]
    assert waited.startswith("\n")
    assert json.loads(waited)["ticks"] == [1]


# The stream of a thread, over its runs.


async def ran(client, thread, *topics):
    """Runs the pipeline for each topic, one run after the other, so that their streams can be read again."""
    runs = [await client.runs.create(thread, "pipeline", input={"topic": topic}, stream_resumable=True) for topic in topics]
    await client.runs.join(thread, runs[-1]["run_id"])
    return [run["run_id"] for run in runs]


async def events_of_thread(client, thread, ends, **more):
    """What the thread's stream gives until so many runs have ended."""
    seen = []
    async for part in await client.threads.join_stream(thread, **more):
        seen.append(part)
        if isinstance(part.data, dict) and part.data.get("status") == "run_done":
            ends -= 1
            if not ends:
                return seen
    return seen


async def test_the_stream_of_a_thread_goes_over_its_runs(client, thread):
    runs = await ran(client, thread, "a", "b")
    seen = await events_of_thread(client, thread, 2, last_event_id="-")
    assert [part.data["run_id"] for part in seen if part.event == "metadata" and part.data.get("status") == "run_done"] == runs
    assert all(part.id for part in seen)
    assert [part.data["topic"] for part in seen if part.event == "values"][:1] == ["a"]


async def test_the_stream_of_a_thread_goes_on_after_a_frame(client, thread):
    await ran(client, thread, "a", "b")
    whole = await events_of_thread(client, thread, 2, last_event_id="-")
    middle = next(place for place, part in enumerate(whole) if part.data.get("status") == "run_done")
    rest = await events_of_thread(client, thread, 1, last_event_id=whole[middle].id)
    assert [(part.event, part.data) for part in rest] == [(part.event, part.data) for part in whole[middle + 1 :]]


@pytest.mark.parametrize("name", ["stream_mode", "stream_modes"])
async def test_the_stream_of_a_thread_can_be_that_of_ends_alone(client, thread, name):
    await ran(client, thread, "a")
    seen = await events_of_thread(client, thread, 1, last_event_id="-", stream_mode="lifecycle", params={name: "lifecycle"})
    assert {part.event for part in seen} == {"metadata"}


@pytest.mark.parametrize("name", ["stream_mode", "stream_modes"])
async def test_the_stream_of_a_thread_tells_changes_of_its_state(client, thread, name):
    await ran(client, thread, "a")
    made = await client.threads.update_state(thread, {"topic": "b"}, as_node="plan")
    stream = await client.threads.join_stream(thread, last_event_id="-", stream_mode="state_update", params={name: "state_update"})
    part = await anext(stream)
    assert (part.event, part.data["thread_id"]) == ("state_update", thread)
    assert part.data["state"]["values"]["topic"] == "b"
    assert part.data["state"]["checkpoint"]["checkpoint_id"] == made["checkpoint"]["checkpoint_id"]


async def test_the_stream_of_an_unknown_thread_is_not_found(wire):
    async with wire.stream("GET", f"/threads/{uuid.uuid4()}/stream") as answer:
        assert answer.status_code == 404
