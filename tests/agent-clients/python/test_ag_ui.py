"""Runs in the Agent-User Interaction protocol, read with the protocol's own types."""

import uuid

import pytest
from ag_ui.core import Event
from pydantic import TypeAdapter

from frames import parse

EVENT = TypeAdapter(Event)


def message(text, **more):
    return {"id": str(uuid.uuid4()), "role": "user", "content": text, **more}


async def run(wire, graph, thread=None, messages=(), **more):
    """One run: its typed events."""
    body = {
        "threadId": thread or str(uuid.uuid4()),
        "runId": str(uuid.uuid4()),
        "state": {},
        "messages": list(messages),
        "tools": [],
        "context": [],
        "forwardedProps": {},
        **more,
    }
    answer = await wire.post(f"/ag-ui/{graph}", json=body, headers={"Accept": "text/event-stream"})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [EVENT.validate_python(frame.data) for frame in parse(answer.text)]
    assert (events[0].type, events[0].thread_id, events[0].run_id) == ("RUN_STARTED", body["threadId"], body["runId"])
    assert events[-1].type in ("RUN_FINISHED", "RUN_ERROR")
    return events


def of(events, kind):
    return [event for event in events if event.type == kind]


async def test_a_text_is_streamed_between_its_start_and_its_end(wire):
    events = await run(wire, "echo_chat", messages=[message("hi there")])
    (start,), content, (end,) = of(events, "TEXT_MESSAGE_START"), of(events, "TEXT_MESSAGE_CONTENT"), of(events, "TEXT_MESSAGE_END")
    assert start.role == "assistant"
    assert [event.delta for event in content] == ["Echo:", " ", "hi", " ", "there"]
    assert {start.message_id, end.message_id, *(event.message_id for event in content)} == {start.message_id}
    kinds = [event.type for event in events]
    assert kinds.index("TEXT_MESSAGE_START") < kinds.index("TEXT_MESSAGE_CONTENT") < kinds.index("TEXT_MESSAGE_END")
    assert events[-1].type == "RUN_FINISHED"


async def test_nodes_are_steps(wire):
    events = await run(wire, "pipeline", state={"topic": "a"})
    steps = [(event.type, event.step_name) for event in events if event.type.startswith("STEP_")]
    assert steps == [(kind, node) for node in ("plan", "work", "finish") for kind in ("STEP_STARTED", "STEP_FINISHED")]


async def test_the_state_is_known_at_the_end(wire):
    events = await run(wire, "pipeline", state={"topic": "a"})
    assert of(events, "STATE_SNAPSHOT")[-1].snapshot["count"] == 3


async def test_messages_are_known_at_the_end(wire):
    events = await run(wire, "echo_chat", messages=[message("hi")])
    snapshot = of(events, "MESSAGES_SNAPSHOT")[-1]
    assert [(one.role, one.content) for one in snapshot.messages] == [("user", "hi"), ("assistant", "Echo: hi")]


async def test_what_a_node_writes_is_custom(wire):
    events = await run(wire, "pipeline", state={"topic": "a"})
    assert {"progress": 1, "of": 3} in [event.value for event in of(events, "CUSTOM")]


async def test_a_failure_is_an_error_with_its_message(wire):
    events = await run(wire, "faulty", state={"mode": "fail"})
    assert events[-1].type == "RUN_ERROR"
    assert "boom: mode=fail" in events[-1].message


async def test_a_question_is_the_outcome_and_is_resumed(wire):
    thread = str(uuid.uuid4())
    events = await run(wire, "approval", thread, state={"request": "r"})
    outcome = events[-1].outcome
    assert outcome.type == "interrupt"
    (asked,) = outcome.interrupts
    assert asked.id
    assert of(events, "STATE_SNAPSHOT"), "a snapshot comes before the outcome"
    events = await run(wire, "approval", thread, resume=[{"interruptId": asked.id, "status": "resolved", "payload": "approve"}])
    assert events[-1].type == "RUN_FINISHED"
    assert of(events, "STATE_SNAPSHOT")[-1].snapshot["log"] == ["draft", "review:approve", "publish"]


async def test_an_open_question_blocks_new_input(wire):
    thread = str(uuid.uuid4())
    await run(wire, "chat_review", thread, messages=[message("hi")])
    events = await run(wire, "chat_review", thread, messages=[message("more")])
    assert events[-1].type == "RUN_ERROR"


async def test_a_resume_must_answer_every_question(wire):
    thread = str(uuid.uuid4())
    events = await run(wire, "fanout", thread, state={"names": ["a", "b"], "ask": True})
    first, second = events[-1].outcome.interrupts
    some = await run(wire, "fanout", thread, resume=[{"interruptId": first.id, "status": "resolved", "payload": "x"}])
    assert some[-1].type == "RUN_ERROR"
    both = [{"interruptId": one.id, "status": "resolved", "payload": "x"} for one in (first, second)]
    events = await run(wire, "fanout", thread, resume=both)
    assert of(events, "STATE_SNAPSHOT")[-1].snapshot["results"] == ["a:x", "b:x", "total:2"]


async def test_a_thread_goes_on(wire):
    thread = str(uuid.uuid4())
    first = message("one")
    events = await run(wire, "echo_chat", thread, messages=[first])
    answered = of(events, "TEXT_MESSAGE_START")[0].message_id
    again = [first, {"id": answered, "role": "assistant", "content": "Echo: one"}, message("two")]
    events = await run(wire, "echo_chat", thread, messages=again)
    snapshot = of(events, "MESSAGES_SNAPSHOT")[-1]
    assert [one.content for one in snapshot.messages] == ["one", "Echo: one", "two", "Echo: two"]


@pytest.mark.parametrize("body", [{}, {"threadId": 1}, []], ids=["nothing", "a number", "a list"])
async def test_a_bad_body_is_refused(wire, body):
    assert (await wire.post("/ag-ui/echo_chat", json=body)).status_code in (400, 422)


async def test_an_unknown_graph_is_not_found(wire):
    body = {"threadId": "t", "runId": "r", "state": {}, "messages": [], "tools": [], "context": [], "forwardedProps": {}}
    assert (await wire.post("/ag-ui/no_such_graph", json=body)).status_code == 404
