"""The store of the server: items in namespaces, found by prefix and by value."""

import uuid

import pytest
from langgraph_sdk.errors import UnprocessableEntityError


@pytest.fixture
def space():
    """A namespace that only one case has."""
    return ["cases", str(uuid.uuid4())]


async def test_an_item_is_kept(client, space):
    await client.store.put_item(space, "k", {"x": 1})
    item = await client.store.get_item(space, "k")
    assert (item["namespace"], item["key"], item["value"]) == (space, "k", {"x": 1})
    assert item["created_at"] and item["updated_at"]


async def test_an_item_is_replaced(client, space):
    await client.store.put_item(space, "k", {"x": 1})
    await client.store.put_item(space, "k", {"y": 2})
    assert (await client.store.get_item(space, "k"))["value"] == {"y": 2}


async def test_keeping_and_deleting_answer_204(wire, space):
    put = await wire.put("/store/items", json={"namespace": space, "key": "k", "value": {"x": 1}})
    deleted = await wire.request("DELETE", "/store/items", json={"namespace": space, "key": "k"})
    assert (put.status_code, deleted.status_code) == (204, 204)


async def test_a_missing_item_is_null_with_200(wire, space):
    answer = await wire.get("/store/items", params={"namespace": ".".join(space), "key": "none"})
    assert (answer.status_code, answer.json()) == (200, None)


async def test_a_deleted_item_is_gone(client, wire, space):
    await client.store.put_item(space, "k", {"x": 1})
    await client.store.delete_item(space, "k")
    assert (await wire.get("/store/items", params={"namespace": ".".join(space), "key": "k"})).json() is None


async def test_search_finds_by_prefix(client, space):
    await client.store.put_item([*space, "a"], "one", {"n": 1})
    await client.store.put_item([*space, "b"], "two", {"n": 2})
    found = await client.store.search_items(space)
    assert sorted((item["namespace"][-1], item["key"], item["value"]["n"]) for item in found["items"]) == [("a", "one", 1), ("b", "two", 2)]
    assert [item["key"] for item in (await client.store.search_items([*space, "a"]))["items"]] == ["one"]


@pytest.mark.parametrize(
    ("condition", "keys"),
    [
        ({"n": 2}, ["2"]),
        ({"n": {"$gt": 1}}, ["2", "3"]),
        ({"n": {"$gte": 2}}, ["2", "3"]),
        ({"n": {"$lt": 2}}, ["1"]),
        ({"n": {"$lte": 2}}, ["1", "2"]),
        ({"n": {"$ne": 2}}, ["1", "3"]),
        ({"n": {"$eq": 2}}, ["2"]),
        ({"kind": "odd", "n": {"$gt": 1}}, ["3"]),
        ({"missing": 1}, []),
    ],
    ids=["equal", "$gt", "$gte", "$lt", "$lte", "$ne", "$eq", "both", "missing"],
)
async def test_search_filters_by_value(client, space, condition, keys):
    for n in (1, 2, 3):
        await client.store.put_item(space, str(n), {"n": n, "kind": "odd" if n % 2 else "even"})
    found = await client.store.search_items(space, filter=condition)
    assert sorted(item["key"] for item in found["items"]) == keys


async def test_search_pages(client, space):
    for n in range(5):
        await client.store.put_item(space, str(n), {"n": n})
    pages = [(await client.store.search_items(space, limit=2, offset=offset))["items"] for offset in (0, 2, 4)]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert {item["key"] for page in pages for item in page} == set("01234")


async def test_namespaces_are_listed(client, space):
    for last in ("a", "b"):
        await client.store.put_item([*space, "deep", last], "k", {})
    found = await client.store.list_namespaces(prefix=space)
    assert sorted(found["namespaces"]) == [[*space, "deep", "a"], [*space, "deep", "b"]]
    assert (await client.store.list_namespaces(prefix=space, max_depth=3))["namespaces"] == [[*space, "deep"]]
    assert (await client.store.list_namespaces(prefix=space, suffix=["b"]))["namespaces"] == [[*space, "deep", "b"]]
    assert len((await client.store.list_namespaces(prefix=space, limit=1, offset=1))["namespaces"]) == 1


async def test_a_label_with_a_dot_is_refused(client, wire):
    answer = await wire.put("/store/items", json={"namespace": ["a.b"], "key": "k", "value": {}})
    assert answer.status_code == 422
    with pytest.raises((UnprocessableEntityError, ValueError)):
        await client.store.put_item(["a.b"], "k", {})


@pytest.mark.parametrize(
    "body",
    [{"namespace": ["a"], "key": "k", "value": 3}, {"namespace": ["a"], "value": {}}, {"key": "k", "value": {}}, {"namespace": "a", "key": "k", "value": {}}],
    ids=["a number", "no key", "no namespace", "a namespace that is a text"],
)
async def test_a_bad_item_is_refused(wire, body):
    assert (await wire.put("/store/items", json=body)).status_code == 422


async def test_an_item_can_have_a_time_to_live(client, space):
    await client.store.put_item(space, "k", {"x": 1}, ttl=60)
    assert (await client.store.get_item(space, "k", refresh_ttl=True))["value"] == {"x": 1}


async def test_values_of_every_kind_come_back_as_they_were(client, space):
    value = {"text": "ä€😀", "whole": 2**53 - 1, "part": 0.1, "yes": True, "none": None, "list": [1, [2, {"a": []}]], "": {}}
    await client.store.put_item(space, "k", value)
    assert (await client.store.get_item(space, "k"))["value"] == value
