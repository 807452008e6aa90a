"""Threads: made, found, counted, copied, changed, pruned and deleted."""

import uuid

import pytest
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError


def mark():
    return {"mark": str(uuid.uuid4())}


async def ran(client, graph="pipeline", value=None, metadata=None):
    """The id of a thread that has run a graph."""
    thread = await client.threads.create(metadata=metadata or {})
    await client.runs.wait(thread["thread_id"], graph, input=value or {"topic": "a"})
    return thread["thread_id"]


async def test_a_new_thread_is_idle_and_has_no_values(client):
    made = await client.threads.create(metadata={"a": 1})
    assert uuid.UUID(made["thread_id"]).version == 7
    assert (made["status"], made["values"], made["metadata"]) == ("idle", None, {"a": 1})
    assert made["created_at"].endswith("+00:00")
    got = await client.threads.get(made["thread_id"])
    assert (got["status"], got["metadata"]) == ("idle", {"a": 1})


async def test_a_thread_can_have_an_id_of_the_clients(client):
    chosen = str(uuid.uuid4())
    assert (await client.threads.create(thread_id=chosen))["thread_id"] == chosen


async def test_an_id_that_is_taken_is_a_conflict(client, thread):
    with pytest.raises(ConflictError):
        await client.threads.create(thread_id=thread)


async def test_an_id_that_is_taken_gives_the_old_thread_when_asked(client):
    old = await client.threads.create(metadata={"first": True})
    again = await client.threads.create(thread_id=old["thread_id"], if_exists="do_nothing", metadata={"first": False})
    assert again["metadata"] == {"first": True}


async def test_creation_answers_200(wire):
    assert (await wire.post("/threads", json={})).status_code == 200


async def test_an_update_merges_metadata(client):
    made = await client.threads.create(metadata={"a": 1, "b": 1})
    changed = await client.threads.update(made["thread_id"], metadata={"b": 2})
    assert changed["metadata"] == {"a": 1, "b": 2}
    assert (await client.threads.get(made["thread_id"]))["metadata"] == {"a": 1, "b": 2}


async def test_an_update_can_be_answered_without_a_body(client, wire, thread):
    assert await client.threads.update(thread, metadata={"b": 2}, return_minimal=True) is None
    answer = await wire.patch(f"/threads/{thread}", json={"metadata": {"c": 3}}, headers={"Prefer": "return=minimal"})
    assert (answer.status_code, answer.content) == (204, b"")
    assert (await client.threads.get(thread))["metadata"] == {"b": 2, "c": 3}


async def test_a_deleted_thread_is_gone(client, wire, thread):
    answer = await wire.delete(f"/threads/{thread}")
    assert answer.status_code == 204
    with pytest.raises(NotFoundError):
        await client.threads.get(thread)


async def test_a_thread_can_be_made_from_past_super_steps(client):
    made = await client.threads.create(
        graph_id="pipeline",
        supersteps=[
            {"updates": [{"values": {"topic": "t"}, "as_node": "__start__"}]},
            {"updates": [{"values": {"items": ["plan:t"]}, "as_node": "plan"}]},
        ],
    )
    state = await client.threads.get_state(made["thread_id"])
    assert state["values"]["items"] == ["plan:t"]
    assert state["next"] == ["work"]
    result = await client.runs.wait(made["thread_id"], "pipeline", input=None)
    assert result["items"] == ["plan:t", "work:t", "finish:t"]


async def test_a_thread_can_have_a_time_to_live(client, wire):
    made = await client.threads.create(ttl=60)
    answer = await wire.get(f"/threads/{made['thread_id']}", params={"include": "ttl"})
    assert answer.status_code == 200
    assert answer.json()["ttl"]["ttl_minutes"] == 60
    assert answer.json()["ttl"]["strategy"] == "delete"


async def test_a_run_writes_its_graph_and_assistant_into_the_threads_metadata(client):
    thread = await ran(client)
    metadata = (await client.threads.get(thread))["metadata"]
    assert metadata["graph_id"] == "pipeline"
    assert metadata["assistant_id"] == "024bfc19-7d06-5d5c-92b5-cec6be8620ae"


async def test_a_thread_shows_the_values_of_its_last_run(client):
    got = await client.threads.get(await ran(client))
    assert got["values"] == {"topic": "a", "items": ["plan:a", "work:a", "finish:a"], "count": 3}
    assert (got["status"], got["interrupts"]) == ("idle", {})


async def test_a_thread_shows_what_is_asked_by_task(client):
    thread = await ran(client, "approval", {"request": "r"})
    got = await client.threads.get(thread)
    assert got["status"] == "interrupted"
    ((task, asked),) = got["interrupts"].items()
    assert uuid.UUID(task)
    assert [one["value"] for one in asked] == [{"question": "Approve?", "draft": "Draft for r"}]
    assert len(asked[0]["id"]) == 32


async def test_search_finds_by_metadata_and_counts(client):
    tag = mark()
    ids = {(await client.threads.create(metadata={**tag, "n": n}))["thread_id"] for n in range(3)}
    found = await client.threads.search(metadata=tag)
    assert {one["thread_id"] for one in found} == ids
    assert await client.threads.count(metadata=tag) == 3
    assert await client.threads.count(metadata={**tag, "n": 1}) == 1


async def test_search_finds_by_graph(client):
    tag = mark()
    thread = await ran(client, metadata=tag)
    assert [one["thread_id"] for one in await client.threads.search(metadata={**tag, "graph_id": "pipeline"})] == [thread]


async def test_search_finds_by_ids(client):
    ids = [(await client.threads.create())["thread_id"] for _ in range(2)]
    found = await client.threads.search(ids=ids)
    assert {one["thread_id"] for one in found} == set(ids)


async def test_search_finds_by_status(client):
    tag = mark()
    await client.threads.create(metadata=tag)
    asked = await ran(client, "approval", {"request": "r"}, tag)
    assert [one["thread_id"] for one in await client.threads.search(metadata=tag, status="interrupted")] == [asked]
    assert len(await client.threads.search(metadata=tag, status="idle")) == 1
    assert await client.threads.count(metadata=tag, status="interrupted") == 1


async def test_search_finds_by_values_beside_threads_without_values(client):
    tag = mark()
    await client.threads.create(metadata=tag)
    topic = str(uuid.uuid4())
    thread = await ran(client, value={"topic": topic}, metadata=tag)
    assert [one["thread_id"] for one in await client.threads.search(values={"topic": topic})] == [thread]
    assert await client.threads.count(values={"topic": topic}) == 1


@pytest.mark.parametrize("order", ["asc", "desc"])
async def test_search_sorts_and_pages(client, wire, order):
    tag = mark()
    ids = [(await client.threads.create(metadata=tag))["thread_id"] for _ in range(3)]
    ids = ids if order == "asc" else ids[::-1]
    body = {"metadata": tag, "limit": 2, "sort_by": "created_at", "sort_order": order}
    first = await wire.post("/threads/search", json=body)
    assert [one["thread_id"] for one in first.json()] == ids[:2]
    assert (first.headers["x-pagination-total"], first.headers["x-pagination-next"]) == ("3", "2")
    last = await wire.post("/threads/search", json={**body, "offset": 2})
    assert [one["thread_id"] for one in last.json()] == ids[2:]
    assert "x-pagination-next" not in last.headers


@pytest.mark.parametrize("key", ["thread_id", "status", "created_at", "updated_at", "state_updated_at"])
async def test_search_sorts_by_every_key(client, key):
    tag = mark()
    for _ in range(2):
        await client.threads.create(metadata=tag)
    found = await client.threads.search(metadata=tag, sort_by=key, sort_order="asc")
    assert [one[key] for one in found] == sorted(one[key] for one in found)


async def test_search_can_give_only_some_fields(client):
    tag = mark()
    made = await client.threads.create(metadata=tag)
    found = await client.threads.search(metadata=tag, select=["thread_id", "status"])
    assert found == [{"thread_id": made["thread_id"], "status": "idle"}]


async def test_search_can_extract_a_value(client):
    tag = mark()
    await ran(client, metadata=tag)
    (found,) = await client.threads.search(metadata=tag, extract={"first": "values.items[0]", "last": "values.items[-1]"})
    assert found["extracted"] == {"first": "plan:a", "last": "finish:a"}


async def test_a_copy_has_the_whole_history_and_its_own_life(client):
    thread = await ran(client)
    copy = (await client.threads.copy(thread))["thread_id"]
    assert copy != thread
    old, new = await client.threads.get_history(thread), await client.threads.get_history(copy)
    assert [one["values"] for one in new] == [one["values"] for one in old]
    await client.runs.wait(copy, "pipeline", input={"topic": "b"})
    assert len((await client.threads.get_state(copy))["values"]["items"]) == 6
    assert len((await client.threads.get_state(thread))["values"]["items"]) == 3


async def test_prune_deletes_threads(client):
    ids = [(await client.threads.create())["thread_id"] for _ in range(2)]
    assert await client.threads.prune(ids) == {"pruned_count": 2}
    for one in ids:
        with pytest.raises(NotFoundError):
            await client.threads.get(one)


async def test_prune_can_keep_the_latest_state(client):
    thread = await ran(client)
    assert await client.threads.prune([thread], strategy="keep_latest") == {"pruned_count": 1}
    history = await client.threads.get_history(thread)
    assert [one["values"]["count"] for one in history] == [3]
    result = await client.runs.wait(thread, "pipeline", input={"topic": "b"})
    assert len(result["items"]) == 6


async def test_the_storage_of_a_thread_is_measured(client, wire):
    answer = await wire.get(f"/threads/{await ran(client)}/storage")
    assert answer.status_code == 200
    assert isinstance(answer.json(), dict)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/threads/{}", None),
        ("GET", "/threads/{}/state", None),
        ("POST", "/threads/{}/history", {}),
        ("POST", "/threads/{}/copy", None),
        ("PATCH", "/threads/{}", {"metadata": {}}),
        ("DELETE", "/threads/{}", None),
        ("POST", "/threads/{}/state", {"values": {"topic": "x"}}),
    ],
    ids=["get", "state", "history", "copy", "patch", "delete", "update"],
)
async def test_an_unknown_thread_is_not_found(wire, method, path, body):
    unknown = str(uuid.uuid4())
    answer = await wire.request(method, path.format(unknown), json=body)
    assert answer.status_code == 404
    assert answer.json()["detail"] == f"Thread with ID {unknown} not found"


async def test_a_threads_id_must_be_a_uuid(client, wire):
    with pytest.raises(UnprocessableEntityError):
        await client.threads.get("not-an-id")
    assert (await wire.get("/threads/not-an-id")).json()["detail"] == "Invalid thread ID: must be a UUID"


@pytest.mark.parametrize("name", ["a/b", "a%2Fb", "..", "%2e%2e", "a b", "ü", "\u0000"], ids=["slash", "encoded slash", "dots", "encoded dots", "space", "letter", "zero"])
async def test_an_id_with_odd_characters_is_refused_without_a_fault(client, name):
    with pytest.raises(Exception) as refused:
        await client.threads.get(name)
    assert getattr(refused.value, "status_code", 422) in (404, 422)
