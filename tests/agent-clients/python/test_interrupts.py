"""Questions of a graph and their answers, stops before and after nodes, forks from older checkpoints."""

import httpx
import pytest

from frames import collect


@pytest.fixture
async def asked(client, thread):
    """A thread with one open question, and its id."""
    await client.runs.wait(thread, "approval", input={"request": "r"})
    return thread, (await client.threads.get_state(thread))["interrupts"][0]["id"]


ANSWERS = {
    "a text": ("approve", "approve", "publish"),
    "an object": ({"decision": "approve"}, "approve", "publish"),
    "another text": ("no", "no", "discard"),
    "an object without a decision": ({"why": "x"}, "reject", "discard"),
}


@pytest.mark.parametrize(("answer", "decision", "last"), ANSWERS.values(), ids=ANSWERS.keys())
async def test_a_question_is_answered_by_value(client, asked, answer, decision, last):
    thread, _ = asked
    result = await client.runs.wait(thread, "approval", command={"resume": answer})
    assert result["log"] == ["draft", f"review:{decision}", last]
    assert result["decision"] == decision
    got = await client.threads.get(thread)
    assert (got["status"], got["interrupts"]) == ("idle", {})


async def test_a_question_is_answered_by_its_id(client, asked):
    thread, question = asked
    result = await client.runs.wait(thread, "approval", command={"resume": {question: "approve"}})
    assert result["log"][-1] == "publish"


async def test_a_run_that_stops_at_a_question_has_succeeded(client, asked):
    thread, _ = asked
    assert [run["status"] for run in await client.runs.list(thread)] == ["success"]


async def test_an_answer_can_be_streamed(client, asked):
    thread, _ = asked
    parts = await collect(client.runs.stream(thread, "approval", command={"resume": "approve"}, stream_mode="updates"))
    updates = [part.data for part in parts if part.event == "updates"]
    assert updates == [{"review": {"decision": "approve", "log": ["review:approve"]}}, {"publish": {"log": ["publish"]}}]


async def test_several_questions_are_answered_together(client, thread):
    result = await client.runs.wait(thread, "fanout", input={"names": ["a", "b", "c"], "ask": True})
    answers = {one["id"]: f"yes {one['value']['name']}" for one in result["__interrupt__"]}
    assert len(answers) == 3
    result = await client.runs.wait(thread, "fanout", command={"resume": answers})
    assert result["results"] == ["a:yes a", "b:yes b", "c:yes c", "total:3"]


async def test_some_of_several_questions_are_answered_and_the_others_stay(client, thread):
    result = await client.runs.wait(thread, "fanout", input={"names": ["a", "b", "c"], "ask": True})
    first, second, third = (one["id"] for one in result["__interrupt__"])
    result = await client.runs.wait(thread, "fanout", command={"resume": {second: "two"}})
    assert sorted(one["id"] for one in result["__interrupt__"]) == sorted([first, third])
    result = await client.runs.wait(thread, "fanout", command={"resume": {first: "one", third: "three"}})
    assert result["results"] == ["a:one", "b:two", "c:three", "total:3"]


async def test_a_question_in_a_subgraph_is_answered(client, thread):
    result = await client.runs.wait(thread, "nested", input={"text": " hi ", "ask": True})
    assert [one["value"] for one in result["__interrupt__"]] == [{"question": "Keep?", "text": "HI"}]
    result = await client.runs.wait(thread, "nested", command={"resume": "!"})
    assert result["text"] == "<HI!>"
    assert result["trail"] == ["prepare", "child.upper", "child.confirm", "wrap"]


@pytest.mark.parametrize(("answer", "text"), [("send", "Reply to hi"), ("No.", "No.")])
async def test_a_reply_is_confirmed_or_written_anew(client, thread, answer, text):
    await client.runs.wait(thread, "chat_review", input={"messages": [{"role": "user", "content": "hi"}]})
    result = await client.runs.wait(thread, "chat_review", command={"resume": answer})
    assert [(one["type"], one["content"]) for one in result["messages"]] == [("human", "hi"), ("ai", text)]


async def test_an_unknown_question_is_refused_when_strict_and_the_thread_stays(client, wire, asked):
    thread, question = asked
    before = await client.threads.get_state(thread)
    answer = await wire.post(
        f"/threads/{thread}/runs/wait", json={"assistant_id": "approval", "command": {"resume": {"0" * 32: "approve"}}, "strict_resume": True}
    )
    assert "UnknownInterruptError" in answer.text and question in answer.text
    after = await client.threads.get_state(thread)
    assert (after["checkpoint_id"], after["values"], after["interrupts"]) == (before["checkpoint_id"], before["values"], before["interrupts"])
    result = await client.runs.wait(thread, "approval", command={"resume": {question: "approve"}}, strict_resume=True)
    assert result["log"][-1] == "publish"


async def test_an_unknown_answer_leaves_the_question_open(client, asked):
    thread, question = asked
    try:
        result = await client.runs.wait(thread, "approval", command={"resume": {"0" * 32: "approve"}}, raise_error=False)
        assert [one["id"] for one in result["__interrupt__"]] == [question] or "__error__" in result
    except httpx.HTTPStatusError as error:
        assert error.response.status_code == 422
    assert (await client.threads.get_state(thread))["interrupts"][0]["id"] == question


# Commands.


async def test_a_command_can_go_to_a_node(client, thread):
    await client.runs.wait(thread, "pipeline", input={"topic": "a"})
    result = await client.runs.wait(thread, "pipeline", command={"goto": "finish"})
    assert result["items"] == ["plan:a", "work:a", "finish:a", "finish:a"]
    assert result["count"] == 4


async def test_a_command_can_update_and_go(client, thread):
    await client.runs.wait(thread, "pipeline", input={"topic": "a"})
    result = await client.runs.wait(thread, "pipeline", command={"update": {"topic": "b"}, "goto": ["work"]})
    assert result["items"][3:] == ["work:b", "finish:b"]


async def test_a_command_can_send_an_input_to_a_node(client, thread):
    await client.runs.wait(thread, "fanout", input={"names": ["a"]})
    result = await client.runs.wait(thread, "fanout", command={"goto": {"node": "worker", "input": {"name": "z", "ask": False}}})
    assert "z:ok" in result["results"]


async def test_an_answer_can_come_with_a_node_to_go_to_which_runs_beside_it(client, asked):
    thread, _ = asked
    result = await client.runs.wait(thread, "approval", command={"resume": "reject", "goto": "publish"})
    assert sorted(result["log"]) == ["discard", "draft", "publish", "review:reject"]
    assert (result["decision"], result["log"][-1]) == ("reject", "discard")


# Stops before and after nodes.


@pytest.mark.parametrize(
    ("where", "nodes", "held", "items"),
    [
        ("interrupt_before", ["work"], ["work"], ["plan:a"]),
        ("interrupt_after", ["work"], ["finish"], ["plan:a", "work:a"]),
        ("interrupt_before", "*", ["plan"], []),
        ("interrupt_after", "*", ["work"], ["plan:a"]),
    ],
)
async def test_a_run_stops_where_it_is_told(client, thread, where, nodes, held, items):
    await client.runs.wait(thread, "pipeline", input={"topic": "a"}, **{where: nodes})
    state = await client.threads.get_state(thread)
    assert (state["next"], state["values"].get("items", []), state["interrupts"]) == (held, items, [])
    assert (await client.threads.get(thread))["status"] == "interrupted"
    assert [run["status"] for run in await client.runs.list(thread)] == ["success"]


async def test_a_stopped_run_goes_on_without_an_input(client, thread):
    await client.runs.wait(thread, "pipeline", input={"topic": "a"}, interrupt_before=["work"])
    result = await client.runs.wait(thread, "pipeline", input=None)
    assert result["items"] == ["plan:a", "work:a", "finish:a"]


async def test_a_stop_is_an_update_without_questions(client, thread):
    parts = await collect(client.runs.stream(thread, "pipeline", input={"topic": "a"}, stream_mode="updates", interrupt_before=["work"]))
    updates = [part.data for part in parts if part.event == "updates"]
    assert updates == [{"plan": {"items": ["plan:a"]}}, {"__interrupt__": []}]


# Forks.


@pytest.mark.parametrize("by", ["checkpoint", "checkpoint_id"])
async def test_a_run_from_an_older_checkpoint_runs_its_nodes_again(client, thread, by):
    await client.runs.wait(thread, "pipeline", input={"topic": "a"})
    history = await client.threads.get_history(thread)
    old = history[2]
    value = old["checkpoint"] if by == "checkpoint" else old["checkpoint_id"]
    parts = await collect(client.runs.stream(thread, "pipeline", input=None, stream_mode="updates", **{by: value}))
    assert [next(iter(part.data)) for part in parts if part.event == "updates"] == ["work", "finish"]
    after = await client.threads.get_history(thread, limit=20)
    new = [one for one in after if one["checkpoint_id"] not in {two["checkpoint_id"] for two in history}]
    assert len(after) == len(history) + len(new)
    assert old["checkpoint_id"] in {one["parent_checkpoint_id"] for one in new}
    assert (await client.threads.get_state(thread))["values"] == history[0]["values"]


async def test_a_fork_with_an_edited_state_runs_from_the_edit(client, thread):
    await client.runs.wait(thread, "pipeline", input={"topic": "a"})
    old = (await client.threads.get_history(thread))[2]
    edit = await client.threads.update_state(thread, {"topic": "b"}, as_node="plan", checkpoint=old["checkpoint"])
    result = await client.runs.wait(thread, "pipeline", input=None, checkpoint=edit["checkpoint"])
    assert result["items"] == ["plan:a", "work:b", "finish:b"]


async def test_a_question_can_be_asked_again_from_an_older_checkpoint(client, asked):
    thread, _ = asked
    await client.runs.wait(thread, "approval", command={"resume": "approve"})
    draft = next(one for one in await client.threads.get_history(thread) if one["next"] == ["draft"])
    result = await client.runs.wait(thread, "approval", input=None, checkpoint=draft["checkpoint"])
    assert [one["value"]["question"] for one in result["__interrupt__"]] == ["Approve?"]
    result = await client.runs.wait(thread, "approval", command={"resume": "no"})
    assert result["log"] == ["draft", "review:no", "discard"]
