"""The state of a thread, its history, and edits of it."""

import json
import uuid

import pytest
from langgraph_sdk.errors import BadRequestError

FULL = {"topic": "a", "items": ["plan:a", "work:a", "finish:a"], "count": 3}


async def ran(client, thread, graph="pipeline", value=None, **more):
    await client.runs.wait(thread, graph, input=value or {"topic": "a"}, **more)


async def test_a_fresh_thread_has_an_empty_state(client, thread):
    state = await client.threads.get_state(thread)
    assert (state["values"], state["next"], state["tasks"], state["checkpoint"]) == ({}, [], [], None)
    assert await client.threads.get_history(thread) == []


async def test_a_state_has_values_checkpoint_and_metadata(client, thread):
    await ran(client, thread)
    state = await client.threads.get_state(thread)
    assert (state["values"], state["next"], state["tasks"], state["interrupts"]) == (FULL, [], [], [])
    assert state["checkpoint"]["thread_id"] == thread
    assert state["checkpoint"]["checkpoint_ns"] == ""
    assert state["checkpoint"]["checkpoint_id"] == state["checkpoint_id"]
    assert state["parent_checkpoint"]["checkpoint_id"] == state["parent_checkpoint_id"]
    assert uuid.UUID(state["checkpoint_id"])
    metadata = state["metadata"]
    assert (metadata["source"], metadata["step"], metadata["parents"]) == ("loop", 3, {})
    assert (metadata["thread_id"], metadata["graph_id"]) == (thread, "pipeline")
    assert metadata["run_id"] == (await client.runs.list(thread))[0]["run_id"]
    assert state["created_at"].endswith("+00:00")


async def test_values_keep_the_order_in_which_the_state_declares_them(client, thread):
    await ran(client, thread)
    assert list((await client.threads.get_state(thread))["values"]) == ["topic", "items", "count"]


async def test_the_history_is_newest_first_and_begins_with_the_input(client, thread):
    await ran(client, thread)
    history = await client.threads.get_history(thread)
    assert [one["metadata"]["step"] for one in history] == [3, 2, 1, 0, -1]
    assert [one["metadata"]["source"] for one in history] == ["loop"] * 4 + ["input"]
    assert [one["next"] for one in history] == [[], ["finish"], ["work"], ["plan"], ["__start__"]]
    ids = [one["checkpoint_id"] for one in history]
    assert ids == sorted(ids, reverse=True)
    assert [one["parent_checkpoint_id"] for one in history] == [*ids[1:], None]


async def test_a_finished_task_in_the_history_has_its_result(client, thread):
    await ran(client, thread)
    plan = (await client.threads.get_history(thread))[3]["tasks"]
    assert [(task["name"], task["error"], task["interrupts"], task["result"]) for task in plan] == [("plan", None, [], {"items": ["plan:a"]})]
    assert plan[0]["path"] == ["__pregel_pull", "plan"]
    assert uuid.UUID(plan[0]["id"])


async def test_the_history_is_limited(client, wire, thread):
    await ran(client, thread)
    whole = await client.threads.get_history(thread)
    assert await client.threads.get_history(thread, limit=2) == whole[:2]
    got = await wire.get(f"/threads/{thread}/history", params={"limit": 2})
    assert [one["checkpoint_id"] for one in got.json()] == [one["checkpoint_id"] for one in whole[:2]]


@pytest.mark.parametrize("form", ["id", "checkpoint", "configurable"])
async def test_the_history_goes_on_before_a_checkpoint(client, thread, form):
    await ran(client, thread)
    whole = await client.threads.get_history(thread)
    before = whole[1]["checkpoint"]
    if form == "id":
        before = before["checkpoint_id"]
    elif form == "configurable":
        before = {"configurable": {"checkpoint_id": before["checkpoint_id"]}}
    older = await client.threads.get_history(thread, before=before)
    assert [one["checkpoint_id"] for one in older] == [one["checkpoint_id"] for one in whole[2:]]


async def test_the_history_has_one_state_if_no_limit_is_given(client, wire, thread):
    await ran(client, thread)
    assert len((await wire.post(f"/threads/{thread}/history", json={})).json()) == 1


async def test_the_history_is_filtered_by_metadata(client, thread):
    await ran(client, thread)
    assert [one["metadata"]["step"] for one in await client.threads.get_history(thread, metadata={"source": "input"})] == [-1]
    assert [one["metadata"]["step"] for one in await client.threads.get_history(thread, metadata={"step": 2})] == [2]


async def test_the_state_at_a_checkpoint_is_that_of_the_history(client, thread):
    await ran(client, thread)
    old = (await client.threads.get_history(thread))[2]
    by_id = await client.threads.get_state(thread, checkpoint_id=old["checkpoint_id"])
    by_checkpoint = await client.threads.get_state(thread, checkpoint=old["checkpoint"])
    for state in (by_id, by_checkpoint):
        assert (state["values"], state["next"], state["checkpoint_id"]) == (old["values"], old["next"], old["checkpoint_id"])


async def test_a_question_is_in_the_state(client, thread):
    await ran(client, thread, "approval", {"request": "r"})
    state = await client.threads.get_state(thread)
    (task,) = state["tasks"]
    (asked,) = state["interrupts"]
    assert state["next"] == ["review"]
    assert (task["name"], task["path"], task["result"]) == ("review", ["__pregel_pull", "review"], None)
    assert task["interrupts"] == [asked]
    assert asked["value"] == {"question": "Approve?", "draft": "Draft for r"}
    assert (await client.threads.get_state(thread))["interrupts"] == [asked]


async def test_every_send_has_a_task_of_its_own(client, thread):
    await ran(client, thread, "fanout", {"names": ["a", "b"], "ask": True})
    state = await client.threads.get_state(thread)
    assert state["next"] == ["worker", "worker"]
    assert [task["path"] for task in state["tasks"]] == [["__pregel_push", 0, False], ["__pregel_push", 1, False]]
    assert [task["interrupts"][0]["value"] for task in state["tasks"]] == [{"name": "a"}, {"name": "b"}]
    assert len({task["id"] for task in state["tasks"]}) == 2


async def test_the_state_of_a_subgraph_is_shown_when_asked(client, thread):
    await ran(client, thread, "nested", {"text": " hi ", "ask": True})
    (task,) = (await client.threads.get_state(thread, subgraphs=True))["tasks"]
    inner = task["state"]
    namespace = f"child:{task['id']}"
    assert (inner["values"], inner["next"]) == ({"text": "HI", "trail": ["child.upper"], "ask": True}, ["confirm"])
    assert inner["checkpoint"]["checkpoint_ns"] == namespace
    assert set(inner["checkpoint"]["checkpoint_map"]) == {"", namespace}
    assert inner["tasks"][0]["interrupts"] == task["interrupts"]
    (plain,) = (await client.threads.get_state(thread))["tasks"]
    assert plain["state"] is None


async def test_the_state_of_a_subgraph_is_found_by_the_checkpoint_of_its_task(client, thread):
    await ran(client, thread, "nested", {"text": " hi ", "ask": True})
    (task,) = (await client.threads.get_state(thread))["tasks"]
    inner = await client.threads.get_state(thread, checkpoint=task["checkpoint"])
    assert (inner["values"], inner["next"]) == ({"text": "HI", "trail": ["child.upper"], "ask": True}, ["confirm"])
    assert inner["checkpoint"]["checkpoint_ns"] == f"child:{task['id']}"


async def test_the_history_of_a_subgraph_is_found_by_the_checkpoint_of_its_task(client, thread):
    await ran(client, thread, "nested", {"text": " hi ", "ask": True})
    (task,) = (await client.threads.get_state(thread))["tasks"]
    past = await client.threads.get_history(thread, checkpoint=task["checkpoint"], limit=10)
    assert [state["next"] for state in past] == [["confirm"], ["upper"], ["__start__"]]
    assert [state["metadata"]["step"] for state in past] == [1, 0, -1]
    assert past[1]["tasks"][0]["result"] == {"text": "HI", "trail": ["child.upper"]}


async def test_the_state_of_a_subgraph_stays_when_it_is_done(client, thread):
    await ran(client, thread, "nested", {"text": " hi ", "ask": True})
    (task,) = (await client.threads.get_state(thread))["tasks"]
    await client.runs.wait(thread, "nested", command={"resume": "!"})
    inner = await client.threads.get_state(thread, checkpoint=task["checkpoint"])
    assert (inner["values"]["text"], inner["next"]) == ("HI!", [])


async def test_a_failure_is_in_the_state_and_the_thread(client, thread):
    await client.runs.wait(thread, "faulty", input={"mode": "fail"}, raise_error=False)
    state = await client.threads.get_state(thread)
    (task,) = state["tasks"]
    assert (state["next"], task["name"]) == (["boom"], "boom")
    assert "boom: mode=fail" in task["error"]
    got = await client.threads.get(thread)
    assert got["status"] == "error"
    assert "boom: mode=fail" in str(got["error"])


async def test_the_error_of_a_task_is_json_in_a_text(client, thread):
    await client.runs.wait(thread, "faulty", input={"mode": "fail"}, raise_error=False)
    (task,) = (await client.threads.get_state(thread))["tasks"]
    error = json.loads(task["error"])
    assert error["message"] == "boom: mode=fail"
    assert error["error"]


async def test_an_update_of_the_state_is_a_new_checkpoint(client, thread):
    await ran(client, thread)
    before = await client.threads.get_state(thread)
    answer = await client.threads.update_state(thread, {"items": ["by hand"]}, as_node="work")
    after = await client.threads.get_state(thread)
    assert answer["checkpoint"]["thread_id"] == thread
    assert answer["checkpoint"]["checkpoint_ns"] == ""
    assert answer["checkpoint"]["checkpoint_id"] == answer["checkpoint_id"] == after["checkpoint_id"]
    assert answer["configurable"]["checkpoint_id"] == after["checkpoint_id"]
    assert after["values"]["items"] == [*before["values"]["items"], "by hand"]
    assert after["next"] == ["finish"]
    assert (after["metadata"]["source"], after["metadata"]["step"]) == ("update", 4)
    assert after["parent_checkpoint_id"] == before["checkpoint_id"]


async def test_an_updated_state_runs_on_from_there(client, thread):
    await ran(client, thread)
    await client.threads.update_state(thread, {"items": ["by hand"]}, as_node="work")
    result = await client.runs.wait(thread, "pipeline", input=None)
    assert result["items"][-2:] == ["by hand", "finish:a"]
    assert result["count"] == 5


async def test_an_update_without_values_plans_anew(client, thread):
    await ran(client, thread)
    await client.threads.update_state(thread, None, as_node="plan")
    assert (await client.threads.get_state(thread))["next"] == ["work"]


async def test_an_update_of_an_older_checkpoint_is_a_branch(client, thread):
    await ran(client, thread)
    old = (await client.threads.get_history(thread))[2]
    answer = await client.threads.update_state(thread, {"topic": "b"}, as_node="plan", checkpoint=old["checkpoint"])
    state = await client.threads.get_state(thread, checkpoint_id=answer["checkpoint_id"])
    assert state["values"] == {"topic": "b", "items": ["plan:a"]}
    assert state["parent_checkpoint_id"] == old["checkpoint_id"]
    by_id = await client.threads.update_state(thread, {"topic": "c"}, as_node="plan", checkpoint_id=old["checkpoint_id"])
    assert (await client.threads.get_state(thread, checkpoint_id=by_id["checkpoint_id"]))["values"]["topic"] == "c"


async def test_an_update_as_an_unknown_node_is_refused(client, wire, thread):
    await ran(client, thread)
    with pytest.raises(BadRequestError):
        await client.threads.update_state(thread, {"items": ["x"]}, as_node="zzz")
    answer = await wire.post(f"/threads/{thread}/state", json={"values": {"items": ["x"]}, "as_node": "zzz"})
    assert (answer.status_code, answer.json()["detail"]) == (400, "Node zzz does not exist")


async def test_a_state_can_be_patched(client, wire, thread):
    await ran(client, thread)
    answer = await wire.patch(f"/threads/{thread}/state", json={"metadata": {"seen": True}})
    assert answer.status_code == 200


@pytest.mark.parametrize(("select", "expected"), [(["values.count"], {"values": {"count": 3}}), (["values", "next"], {"values": FULL, "next": []}), (["next"], {"next": []})], ids=["one value", "two fields", "one field"])
async def test_a_state_gives_only_what_is_selected(client, thread, select, expected):
    await ran(client, thread)
    assert await client.threads.get_state(thread, select=select) == expected


async def test_a_history_gives_only_what_is_selected(client, thread):
    await ran(client, thread)
    assert await client.threads.get_history(thread, limit=2, select=["values.count"]) == [{"values": {"count": 3}}, {"values": {}}]


@pytest.mark.parametrize(
    "message",
    [{"role": "user", "content": "hi"}, {"type": "human", "content": "hi"}],
    ids=["role", "type"],
)
async def test_a_message_is_kept_with_a_type_and_an_id(client, thread, message):
    await ran(client, thread, "echo_chat", {"messages": [message]})
    asked, answered = (await client.threads.get_state(thread))["values"]["messages"]
    assert (asked["type"], asked["content"]) == ("human", "hi")
    assert uuid.UUID(asked["id"])
    assert (answered["type"], answered["content"]) == ("ai", "Echo: hi")


async def test_a_message_of_the_same_id_replaces_the_old_one(client, thread):
    await ran(client, thread, "echo_chat", {"messages": [{"role": "user", "content": "hi", "id": "m1"}]})
    await client.threads.update_state(thread, {"messages": [{"role": "user", "content": "ho", "id": "m1"}]}, as_node="model")
    messages = (await client.threads.get_state(thread))["values"]["messages"]
    assert [one["content"] for one in messages] == ["ho", "Echo: hi"]


async def test_notes_in_the_store_outlive_the_thread(client):
    user = str(uuid.uuid4())
    for note, expected in (("b", ["b"]), ("a", ["a", "b"])):
        result = await client.runs.wait(None, "memory", input={"note": note}, context={"user_id": user})
        assert (result["recalled"], result["who"]) == (expected, user)
    items = await client.store.search_items(("memories", user))
    assert sorted(item["key"] for item in items["items"]) == ["a", "b"]
