"""The event streaming protocol over server-sent events and WebSocket, by hand."""

import asyncio

import pytest

from frames import read, until
from protocol import CHANNELS, Socket, command, data_of, events, new_thread, start


async def test_a_run_is_started_on_a_thread_that_need_not_exist(wire, client):
    thread = new_thread()
    run = await start(wire, thread, "pipeline", {"topic": "a"})
    await events(wire, thread, ["lifecycle"])
    assert (await client.threads.get_state(thread))["values"]["count"] == 3
    assert (await client.runs.get(thread, run))["status"] == "success"


async def test_the_life_of_a_run_is_told(wire):
    thread = new_thread()
    await start(wire, thread, "pipeline", {"topic": "a"})
    told = data_of(await events(wire, thread, ["lifecycle"]), "lifecycle", [])
    assert [one["event"] for one in told] == ["running", "completed"]
    assert {one["graph_name"] for one in told} == {"pipeline"}


async def test_the_life_of_a_failing_run_ends_with_its_error(wire):
    thread = new_thread()
    await start(wire, thread, "faulty", {"mode": "fail"})
    told = data_of(await events(wire, thread, ["lifecycle"]), "lifecycle", [])
    assert told[-1]["event"] == "failed"
    assert "boom: mode=fail" in str(told[-1]["error"])


async def test_the_life_of_a_subgraph_is_told_in_its_namespace(wire):
    thread = new_thread()
    await start(wire, thread, "nested", {"text": " hi "})
    told = [one for one in await events(wire, thread, ["lifecycle"]) if one["params"]["namespace"]]
    assert [one["params"]["data"]["event"] for one in told] == ["started", "completed"]
    assert all(one["params"]["namespace"][0].startswith("child:") for one in told)


async def test_events_are_numbered_and_have_ids(wire):
    thread = new_thread()
    await start(wire, thread, "pipeline", {"topic": "a"})
    seen = await events(wire, thread, CHANNELS)
    numbers = [one["seq"] for one in seen]
    assert numbers == sorted(set(numbers))
    assert len({one["event_id"] for one in seen}) == len(seen)
    assert all(one["type"] == "event" and one["params"]["timestamp"] > 1_700_000_000_000 for one in seen)


async def test_values_come_after_the_input_and_each_super_step(wire):
    thread = new_thread()
    await start(wire, thread, "pipeline", {"topic": "a"})
    values = data_of(await events(wire, thread, ["values", "lifecycle"]), "values")
    assert [len(one["items"]) for one in values] == [0, 1, 2, 3]


async def test_updates_come_by_node(wire):
    thread = new_thread()
    await start(wire, thread, "pipeline", {"topic": "a"})
    updates = data_of(await events(wire, thread, ["updates", "lifecycle"]), "updates")
    assert [(one["node"], one["values"]) for one in updates] == [
        ("plan", {"items": ["plan:a"]}),
        ("work", {"items": ["work:a"]}),
        ("finish", {"items": ["finish:a"], "count": 3}),
    ]


async def test_what_a_node_writes_comes_as_custom(wire):
    thread = new_thread()
    await start(wire, thread, "pipeline", {"topic": "a"})
    custom = data_of(await events(wire, thread, ["custom", "lifecycle"]), "custom")
    assert [one["payload"] for one in custom] == [{"progress": n, "of": 3} for n in (1, 2, 3)]


async def test_tasks_have_a_start_and_an_end(wire):
    thread = new_thread()
    await start(wire, thread, "pipeline", {"topic": "a"})
    tasks = data_of(await events(wire, thread, ["tasks", "lifecycle"]), "tasks")
    assert [one["name"] for one in tasks] == ["plan", "plan", "work", "work", "finish", "finish"]
    assert [("result" in one) for one in tasks] == [False, True] * 3


async def test_checkpoints_are_those_of_the_history(wire, client):
    thread = new_thread()
    await start(wire, thread, "pipeline", {"topic": "a"})
    told = data_of(await events(wire, thread, ["checkpoints", "lifecycle"]), "checkpoints")
    history = (await client.threads.get_history(thread))[::-1]
    assert [one["id"] for one in told] == [one["checkpoint_id"] for one in history]
    assert [(one["step"], one["source"]) for one in told] == [(one["metadata"]["step"], one["metadata"]["source"]) for one in history]
    assert [one.get("parent_id") for one in told] == [one["parent_checkpoint_id"] for one in history]


async def test_a_message_comes_in_deltas(wire):
    thread = new_thread()
    await start(wire, thread, "echo_chat", {"messages": [{"role": "user", "content": "hi there"}]})
    told = data_of(await events(wire, thread, ["messages", "lifecycle"]), "messages")
    assert [one["event"] for one in told] == (
        ["message-start", "content-block-start"] + ["content-block-delta"] * 5 + ["content-block-finish", "message-finish"]
    )
    assert told[0]["role"] == "ai"
    assert told[0]["id"]
    assert [one["delta"] for one in told if "delta" in one] == [{"type": "text-delta", "text": text} for text in ("Echo:", " ", "hi", " ", "there")]
    assert told[-2]["content"]["text"] == "Echo: hi there"


async def test_a_question_is_told_and_answered(wire, client):
    thread = new_thread()
    await start(wire, thread, "approval", {"request": "r"})
    seen = await events(wire, thread, ["input", "lifecycle"])
    (asked,) = data_of(seen, "input.requested")
    assert asked["payload"] == {"question": "Approve?", "draft": "Draft for r"}
    assert data_of(seen, "lifecycle", [])[-1]["event"] == "interrupted"
    answer = await command(wire, thread, "input.respond", namespace=[], interrupt_id=asked["interrupt_id"], response="approve")
    assert answer["type"] == "success"
    seen = await events(wire, thread, ["values", "lifecycle"], ends=2)
    assert data_of(seen, "values")[-1]["log"] == ["draft", "review:approve", "publish"]


async def test_a_question_has_both_of_its_keys(wire):
    thread = new_thread()
    await start(wire, thread, "approval", {"request": "r"})
    (asked,) = data_of(await events(wire, thread, ["input", "lifecycle"]), "input.requested")
    assert asked["value"] == asked["payload"] == {"question": "Approve?", "draft": "Draft for r"}


async def test_several_questions_are_answered_in_one_command(wire, client):
    thread = new_thread()
    await start(wire, thread, "fanout", {"names": ["a", "b"], "ask": True})
    asked = (await until(lambda: client.threads.get_state(thread), lambda state: len(state["interrupts"]) == 2))["interrupts"]
    responses = [{"namespace": [], "interrupt_id": one["id"], "response": f"yes {one['value']['name']}"} for one in asked]
    assert (await command(wire, thread, "input.respond", responses=responses))["type"] == "success"
    state = await until(lambda: client.threads.get_state(thread), lambda state: not state["next"])
    assert state["values"]["results"] == ["a:yes a", "b:yes b", "total:2"]


async def test_an_answer_can_update_the_state(wire):
    thread = new_thread()
    await start(wire, thread, "approval", {"request": "r"})
    (asked,) = data_of(await events(wire, thread, ["input", "lifecycle"]), "input.requested")
    await command(
        wire, thread, "input.respond", namespace=[], interrupt_id=asked["interrupt_id"], response="approve", update={"log": ["note"]}
    )
    values = data_of(await events(wire, thread, ["values", "lifecycle"], ends=2), "values")
    assert sorted(values[-1]["log"]) == sorted(["draft", "note", "review:approve", "publish"])


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("no.such", {}, "unknown_command"),
        ("input.respond", {"namespace": [], "interrupt_id": "0" * 32, "response": "x"}, "no_such_interrupt"),
        ("run.start", {}, "invalid_argument"),
        ("agent.getTree", {}, "no_such_run"),
        ("state.fork", {"checkpoint_id": "00000000-0000-7000-8000-000000000000"}, "no_such_checkpoint"),
    ],
    ids=["unknown", "interrupt", "argument", "run", "checkpoint"],
)
async def test_an_error_has_its_code(wire, thread, method, params, code):
    answer = await command(wire, thread, method, **params)
    assert (answer["type"], answer["error"]) == ("error", code)
    assert answer["message"]


@pytest.mark.parametrize("body", [{"x": 1}, {"id": "one", "method": "run.start"}, [], {"id": 1}], ids=["fields", "id", "list", "method"])
async def test_a_malformed_command_is_refused(wire, thread, body):
    answer = await wire.post(f"/threads/{thread}/commands", json=body)
    assert answer.status_code == 400


@pytest.mark.parametrize("body", [{"channels": ["no_such"]}, {"channels": "values"}, {"channels": ["values"], "depth": -1}, {}], ids=["unknown", "text", "depth", "none"])
async def test_a_malformed_subscription_is_refused(wire, thread, body):
    async with wire.stream("POST", f"/threads/{thread}/stream/events", json=body) as answer:
        assert answer.status_code in (400, 422)


async def test_the_tree_of_a_run_is_given(wire, client):
    thread = new_thread()
    run = await start(wire, thread, "ticker", {"n": 1000, "delay_ms": 10})
    await until(lambda: client.runs.get(thread, run), lambda one: one["status"] == "running")
    tree = (await command(wire, thread, "agent.getTree"))["result"]["tree"]
    assert (tree["namespace"], tree["graph_name"], tree["status"]) == ([], "ticker", "running")
    await client.runs.cancel(thread, run, wait=True)


# Replay.


async def test_a_later_stream_has_what_was_before_it(wire, client):
    thread = new_thread()
    run = await start(wire, thread, "pipeline", {"topic": "a"})
    await client.runs.join(thread, run)
    seen = [one["event_id"] for one in await events(wire, thread, ["values", "lifecycle"])]
    again = [one["event_id"] for one in await events(wire, thread, ["values", "lifecycle"])]
    assert seen == again
    assert len(seen) == 6


async def test_a_stream_can_begin_after_a_number(wire, client):
    thread = new_thread()
    await start(wire, thread, "pipeline", {"topic": "a"})
    seen = await events(wire, thread, ["values", "lifecycle"])
    rest = await events(wire, thread, ["values", "lifecycle"], since=seen[2]["seq"])
    assert [one["event_id"] for one in rest] == [one["event_id"] for one in seen[3:]]


async def test_a_stream_goes_on_over_runs(wire, client):
    thread = new_thread()
    await start(wire, thread, "pipeline", {"topic": "a"})
    reading = asyncio.create_task(events(wire, thread, ["values", "lifecycle"], ends=2))
    await start(wire, thread, "pipeline", {"topic": "b"})
    values = data_of(await reading, "values")
    assert [len(one["items"]) for one in values] == [0, 1, 2, 3, 3, 4, 5, 6]


async def test_replay_comes_before_what_is_live(wire):
    thread = new_thread()
    await start(wire, thread, "ticker", {"n": 30, "delay_ms": 5})
    await events(wire, thread, ["lifecycle"])
    await start(wire, thread, "ticker", {"n": 60, "delay_ms": 5})
    values = data_of(await events(wire, thread, ["values", "lifecycle"], ends=2), "values")
    ticks = [len(one["ticks"]) for one in values]
    assert ticks == [*range(31), *range(30, 61)]


# Namespaces and depth.


@pytest.mark.parametrize(
    ("filter", "where"),
    [
        ({}, {"", "child"}),
        ({"namespaces": [["child"]]}, {"child"}),
        ({"namespaces": [[]], "depth": 0}, {""}),
        ({"namespaces": [[]], "depth": 1}, {"", "child"}),
        ({"namespaces": [["child"]], "depth": 0}, {"child"}),
    ],
    ids=["all", "child", "root alone", "root and below", "child alone"],
)
async def test_a_stream_has_only_the_namespaces_asked_for(wire, client, filter, where):
    thread = new_thread()
    run = await start(wire, thread, "nested", {"text": " hi "})
    await client.runs.join(thread, run)
    seen = []

    async def listen():
        async with wire.stream("POST", f"/threads/{thread}/stream/events", json={"channels": ["values", "lifecycle"], **filter}) as answer:
            async for frame in read(answer):
                seen.append(frame.data)
                names = {(one["params"]["namespace"] or [""])[0].split(":")[0] for one in seen}
                told = [one["params"]["data"].get("event") for one in seen if one["method"] == "lifecycle"]
                if names >= where and told.count("completed") >= len(where):
                    return

    async with asyncio.timeout(40):
        await listen()
    assert {(one["params"]["namespace"] or [""])[0].split(":")[0] for one in seen} == where


# Commands on the state.


async def test_the_state_is_read_by_command(wire, client):
    thread = new_thread()
    await client.runs.join(thread, await start(wire, thread, "pipeline", {"topic": "a"}))
    result = (await command(wire, thread, "state.get", namespace=[]))["result"]
    state = await client.threads.get_state(thread)
    assert result["values"] == state["values"]
    assert result["checkpoint"]["id"] == state["checkpoint_id"]
    some = (await command(wire, thread, "state.get", namespace=[], keys=["count"]))["result"]
    assert some["values"] == {"count": 3}


async def test_checkpoints_are_listed_by_command(wire, client):
    thread = new_thread()
    await client.runs.join(thread, await start(wire, thread, "pipeline", {"topic": "a"}))
    history = [one["checkpoint_id"] for one in await client.threads.get_history(thread)]
    listed = (await command(wire, thread, "state.listCheckpoints"))["result"]["checkpoints"]
    assert [one["id"] for one in listed] == history
    assert [one["step"] for one in listed] == [3, 2, 1, 0, -1]
    assert all(isinstance(one["timestamp"], str) for one in listed)
    some = (await command(wire, thread, "state.listCheckpoints", limit=2, before=history[0]))["result"]["checkpoints"]
    assert [one["id"] for one in some] == history[1:3]


@pytest.mark.parametrize("by", ["state.fork", "run.start"])
async def test_a_run_forks_from_an_older_checkpoint(wire, client, by):
    thread = new_thread()
    await client.runs.join(thread, await start(wire, thread, "pipeline", {"topic": "a"}))
    old = (await client.threads.get_history(thread))[2]["checkpoint_id"]
    if by == "state.fork":
        result = (await command(wire, thread, by, checkpoint_id=old))["result"]
        assert result["thread_id"] == thread
        run = result["run_id"]
    else:
        answer = await command(wire, thread, by, assistant_id="pipeline", config={"configurable": {"checkpoint_id": old}})
        run = answer["result"]["run_id"]
    await client.runs.join(thread, run)
    assert old in {one["parent_checkpoint_id"] for one in (await client.threads.get_history(thread, limit=20))[:3]}
    assert (await client.threads.get_state(thread))["values"]["items"] == ["plan:a", "work:a", "finish:a"]


async def test_a_message_is_put_into_a_thread(wire, client):
    thread = new_thread()
    await client.runs.join(thread, await start(wire, thread, "echo_chat", {"messages": [{"role": "user", "content": "hi"}]}))
    answer = await command(wire, thread, "input.inject", namespace=[], message={"role": "user", "content": "more"})
    assert answer["type"] == "success"
    messages = await until(lambda: client.threads.get_state(thread), lambda state: len(state["values"]["messages"]) > 2)
    assert (messages["values"]["messages"][2]["type"], messages["values"]["messages"][2]["content"]) == ("human", "more")


@pytest.mark.parametrize("name", ["multitaskStrategy", "multitask_strategy"])
async def test_a_second_run_is_refused_if_it_says_so(wire, client, name):
    thread = new_thread()
    run = await start(wire, thread, "ticker", {"n": 1000, "delay_ms": 10})
    answer = await command(wire, thread, "run.start", assistant_id="ticker", input={"n": 1}, **{name: "reject"})
    assert answer["type"] == "error"
    await client.runs.cancel(thread, run, wait=True)


# WebSocket.


async def test_a_socket_takes_commands_and_gives_events(address):
    async with Socket(address, new_thread()) as socket:
        assert (await socket.command("subscription.subscribe", channels=["values", "lifecycle"]))["result"]["subscription_id"]
        assert (await socket.command("run.start", assistant_id="pipeline", input={"topic": "a"}))["result"]["run_id"]
        seen = await socket.until_end()
    assert [len(one["items"]) for one in data_of(seen, "values")] == [0, 1, 2, 3]
    assert [one["event"] for one in data_of(seen, "lifecycle", [])] == ["running", "completed"]


async def test_a_socket_replays_what_was_before(address, wire, client):
    thread = new_thread()
    await client.runs.join(thread, await start(wire, thread, "pipeline", {"topic": "a"}))
    async with Socket(address, thread) as socket:
        await socket.command("subscription.subscribe", channels=["values", "lifecycle"])
        over_socket = [one["event_id"] for one in await socket.until_end()]
    assert over_socket == [one["event_id"] for one in await events(wire, thread, ["values", "lifecycle"])]


async def test_a_socket_is_silent_without_a_subscription(address):
    async with Socket(address, new_thread()) as socket:
        await socket.command("run.start", assistant_id="pipeline", input={"topic": "a"})
        assert (await socket.command("no.such"))["error"] == "unknown_command"
        assert socket.seen == []


async def test_a_socket_answers_a_question(address):
    async with Socket(address, new_thread()) as socket:
        await socket.command("subscription.subscribe", channels=["values", "lifecycle", "input"])
        await socket.command("run.start", assistant_id="approval", input={"request": "r"})
        (asked,) = data_of(await socket.until_end(), "input.requested")
        wrong = await socket.command("input.respond", namespace=["other"], interrupt_id=asked["interrupt_id"], response="approve")
        assert wrong["type"] == "error"
        await socket.command("input.respond", namespace=[], interrupt_id=asked["interrupt_id"], response="approve")
        seen = await socket.until_end(2)
    assert data_of(seen, "values")[-1]["log"] == ["draft", "review:approve", "publish"]


async def test_a_socket_can_be_unsubscribed(address):
    async with Socket(address, new_thread()) as socket:
        values = (await socket.command("subscription.subscribe", channels=["values"]))["result"]["subscription_id"]
        await socket.command("subscription.subscribe", channels=["lifecycle"])
        assert (await socket.command("subscription.unsubscribe", subscription_id=values))["type"] == "success"
        again = await socket.command("subscription.unsubscribe", subscription_id=values)
        assert again["error"] == "no_such_subscription"
        await socket.command("run.start", assistant_id="pipeline", input={"topic": "a"})
        seen = await socket.until_end()
    assert {one["method"] for one in seen} == {"lifecycle"}


# The Python client's own face of the protocol.


@pytest.mark.parametrize("transport", ["sse", "websocket"])
async def test_the_typed_client_gives_the_output_of_a_run(client, transport):
    async with client.threads.stream(assistant_id="pipeline", transport=transport) as stream:
        await stream.run.start(input={"topic": "a"})
        assert (await stream.output.with_timeout(40))["count"] == 3


@pytest.mark.parametrize("transport", ["sse", "websocket"])
async def test_the_typed_client_streams_values(client, transport):
    async with asyncio.timeout(40), client.threads.stream(assistant_id="ticker", transport=transport) as stream:
        await stream.run.start(input={"n": 3, "delay_ms": 5})
        seen = []
        async for values in stream.values:
            seen.append(len(values.get("ticks", [])))
            if seen[-1] == 3:
                break
    assert seen[-1] == 3


@pytest.mark.parametrize("transport", ["sse", "websocket"])
async def test_the_typed_client_streams_messages(client, transport):
    async with asyncio.timeout(40), client.threads.stream(assistant_id="echo_chat", transport=transport) as stream:
        await stream.run.start(input={"messages": [{"role": "user", "content": "hi there"}]})
        (message,) = [message async for message in stream.messages]
        assert [text async for text in message.text] == ["Echo:", " ", "hi", " ", "there"]
        assert (await message.output).id


async def asked_by_typed_client(stream):
    await stream.run.start(input={"request": "r"})
    async with asyncio.timeout(40):
        while not stream.interrupts:
            await asyncio.sleep(0.01)
    return stream.interrupts[0]


async def test_the_typed_client_answers_a_question(client):
    async with client.threads.stream(assistant_id="approval") as stream:
        await asked_by_typed_client(stream)
        await stream.run.respond("approve")
        await until(lambda: client.threads.get_state(stream.thread_id), lambda state: state["values"]["log"] == ["draft", "review:approve", "publish"])


async def test_the_typed_client_sees_what_is_asked(client):
    async with client.threads.stream(assistant_id="approval") as stream:
        asked = await asked_by_typed_client(stream)
        assert asked["value"] == {"question": "Approve?", "draft": "Draft for r"}


async def test_the_typed_client_is_told_of_a_failure(client):
    async with client.threads.stream(assistant_id="faulty") as stream:
        await stream.run.start(input={"mode": "fail"})
        with pytest.raises(RuntimeError, match="boom: mode=fail"):
            await stream.output.with_timeout(40)


@pytest.mark.parametrize("channel", ["updates", "custom", "tasks", "checkpoints"])
async def test_the_typed_client_gets_every_channel(client, channel):
    async with asyncio.timeout(40), client.threads.stream(assistant_id="pipeline") as stream:
        await stream.run.start(input={"topic": "a"})
        async for event in stream.subscribe([channel, "lifecycle"]):
            if event["method"] == channel:
                return
            assert not (event["method"] == "lifecycle" and event["params"]["data"]["event"] == "completed"), f"no {channel}"
    raise AssertionError(f"no {channel}")


@pytest.mark.parametrize("path", ["stream", "stream/events"])
async def test_both_paths_of_the_protocol_are_served(wire, path):
    thread = new_thread()
    await start(wire, thread, "pipeline", {"topic": "a"})
    async with asyncio.timeout(40), wire.stream("POST", f"/threads/{thread}/{path}", json={"channels": ["lifecycle"]}) as answer:
        assert answer.status_code == 200
        async for text in answer.aiter_text():
            if "completed" in text:
                return
