"""Assistants: one of the system for each graph, and those of users, with versions."""

import uuid

import pytest
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError

GRAPHS = ["approval", "chat_review", "echo_chat", "fanout", "faulty", "memory", "nested", "pipeline", "ticker"]
NAMESPACE = uuid.UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")


def system_id(graph):
    return str(uuid.uuid5(NAMESPACE, graph))


@pytest.fixture
async def assistant(client):
    """An assistant of the pipeline, and a mark that only it carries."""
    mark = str(uuid.uuid4())
    return await client.assistants.create("pipeline", metadata={"mark": mark, "kind": "trial"}, name=f"Trial {mark}", description="A trial")


@pytest.mark.parametrize("graph", GRAPHS)
async def test_every_graph_has_an_assistant_of_the_system(client, graph):
    found = await client.assistants.get(system_id(graph))
    assert (found["graph_id"], found["name"], found["version"]) == (graph, graph, 1)
    assert found["metadata"]["created_by"] == "system"


async def test_the_id_of_a_systems_assistant_is_the_one_other_servers_give(client):
    assert (await client.assistants.get("024bfc19-7d06-5d5c-92b5-cec6be8620ae"))["graph_id"] == "pipeline"


async def test_search_by_graph_finds_the_systems_assistant(client):
    found = await client.assistants.search(graph_id="nested", metadata={"created_by": "system"})
    assert [one["assistant_id"] for one in found] == [system_id("nested")]


async def test_an_assistant_is_created_as_given(client, assistant):
    assert uuid.UUID(assistant["assistant_id"])
    assert assistant["graph_id"] == "pipeline"
    assert assistant["metadata"]["kind"] == "trial"
    assert assistant["description"] == "A trial"
    assert assistant["version"] == 1
    assert assistant["created_at"].endswith("+00:00")
    assert await client.assistants.get(assistant["assistant_id"]) == assistant


async def test_an_assistant_without_a_name_is_untitled(client):
    made = await client.assistants.create("pipeline")
    assert made["name"] == "Untitled"


async def test_context_and_configurable_mirror_each_other(client):
    by_context = await client.assistants.create("memory", context={"user_id": "ann"})
    by_config = await client.assistants.create("memory", config={"configurable": {"user_id": "ann"}})
    for made in (by_context, by_config):
        assert made["context"] == {"user_id": "ann"}
        assert made["config"]["configurable"] == {"user_id": "ann"}


async def test_an_id_that_is_taken_is_a_conflict(client, assistant):
    with pytest.raises(ConflictError):
        await client.assistants.create("pipeline", assistant_id=assistant["assistant_id"])


async def test_an_id_that_is_taken_gives_the_old_one_when_asked(client, assistant):
    again = await client.assistants.create("pipeline", assistant_id=assistant["assistant_id"], if_exists="do_nothing", name="Other")
    assert again["name"] == assistant["name"]


async def test_an_unknown_graph_is_refused(wire):
    answer = await wire.post("/assistants", json={"graph_id": "no_such_graph"})
    assert answer.status_code in (404, 422)
    assert isinstance(answer.json()["detail"], str)


async def test_an_update_makes_a_new_version_and_merges_metadata(client, assistant):
    updated = await client.assistants.update(assistant["assistant_id"], metadata={"more": 1}, name="Second")
    assert updated["version"] == 2
    assert updated["name"] == "Second"
    assert updated["metadata"]["kind"] == "trial"
    assert updated["metadata"]["more"] == 1
    assert (await client.assistants.get(assistant["assistant_id"]))["version"] == 2


async def test_an_update_replaces_the_context(client):
    made = await client.assistants.create("memory", context={"user_id": "ann"})
    updated = await client.assistants.update(made["assistant_id"], context={"user_id": "bob"})
    assert updated["context"] == {"user_id": "bob"}


async def test_versions_are_listed_newest_first(client, assistant):
    for name in ("Second", "Third"):
        await client.assistants.update(assistant["assistant_id"], name=name)
    versions = await client.assistants.get_versions(assistant["assistant_id"])
    assert [one["version"] for one in versions] == [3, 2, 1]
    assert [one["name"] for one in versions][:2] == ["Third", "Second"]
    page = await client.assistants.get_versions(assistant["assistant_id"], limit=1, offset=1)
    assert [one["version"] for one in page] == [2]


async def test_an_older_version_can_be_made_the_latest(client, assistant):
    await client.assistants.update(assistant["assistant_id"], name="Second")
    back = await client.assistants.set_latest(assistant["assistant_id"], 1)
    assert (back["version"], back["name"]) == (1, assistant["name"])
    assert (await client.assistants.get(assistant["assistant_id"]))["version"] == 1


async def test_an_older_version_brings_its_context_back(client):
    made = await client.assistants.create("memory", context={"user_id": "ann"})
    await client.assistants.update(made["assistant_id"], context={"user_id": "bob"})
    back = await client.assistants.set_latest(made["assistant_id"], 1)
    assert back["context"] == {"user_id": "ann"}
    result = await client.runs.wait(None, made["assistant_id"], input={"note": "x"})
    assert result["who"] == "ann"


async def test_a_version_that_does_not_exist_is_not_found(client, assistant):
    with pytest.raises(NotFoundError):
        await client.assistants.set_latest(assistant["assistant_id"], 99)


async def test_a_deleted_assistant_is_gone(client, assistant):
    await client.assistants.delete(assistant["assistant_id"])
    with pytest.raises(NotFoundError):
        await client.assistants.get(assistant["assistant_id"])


async def test_deletion_can_take_the_assistants_threads_along(client, assistant, thread):
    await client.runs.wait(thread, assistant["assistant_id"], input={"topic": "a"})
    await client.assistants.delete(assistant["assistant_id"], delete_threads=True)
    with pytest.raises(NotFoundError):
        await client.threads.get(thread)


async def test_deletion_keeps_the_assistants_threads_otherwise(client, assistant, thread):
    await client.runs.wait(thread, assistant["assistant_id"], input={"topic": "a"})
    await client.assistants.delete(assistant["assistant_id"])
    assert (await client.threads.get(thread))["thread_id"] == thread


async def test_search_filters_by_what_metadata_contains(client, assistant):
    mark = assistant["metadata"]["mark"]
    assert [one["assistant_id"] for one in await client.assistants.search(metadata={"mark": mark})] == [assistant["assistant_id"]]
    assert await client.assistants.search(metadata={"mark": mark, "kind": "other"}) == []
    assert await client.assistants.count(metadata={"mark": mark}) == 1
    assert await client.assistants.count(metadata={"mark": mark}, graph_id="nested") == 0


async def test_search_filters_by_name(client, assistant):
    found = await client.assistants.search(name=assistant["name"])
    assert [one["assistant_id"] for one in found] == [assistant["assistant_id"]]


async def test_search_pages_in_order_and_counts(client, wire):
    mark = str(uuid.uuid4())
    for name in ("c", "a", "b"):
        await client.assistants.create("pipeline", metadata={"mark": mark}, name=name)
    first = await wire.post("/assistants/search", json={"metadata": {"mark": mark}, "limit": 2, "sort_by": "name", "sort_order": "asc"})
    assert [one["name"] for one in first.json()] == ["a", "b"]
    assert first.headers["x-pagination-total"] == "3"
    assert first.headers["x-pagination-next"] == "2"
    last = await wire.post("/assistants/search", json={"metadata": {"mark": mark}, "limit": 2, "offset": 2, "sort_by": "name", "sort_order": "asc"})
    assert [one["name"] for one in last.json()] == ["c"]
    assert "x-pagination-next" not in last.headers


async def test_search_can_give_only_some_fields(client, assistant):
    found = await client.assistants.search(metadata={"mark": assistant["metadata"]["mark"]}, select=["assistant_id", "name"])
    assert found == [{"assistant_id": assistant["assistant_id"], "name": assistant["name"]}]


async def test_search_can_answer_with_the_next_page(client, assistant):
    page = await client.assistants.search(metadata={"mark": assistant["metadata"]["mark"]}, response_format="object")
    assert [one["assistant_id"] for one in page["assistants"]] == [assistant["assistant_id"]]
    assert page["next"] is None


async def test_the_drawing_has_nodes_and_conditional_edges(client):
    drawing = await client.assistants.get_graph("approval")
    assert [node["id"] for node in drawing["nodes"]] == ["__start__", "draft", "review", "publish", "discard", "__end__"]
    assert next(node for node in drawing["nodes"] if node["id"] == "draft")["data"]["name"] == "draft"
    edges = {(edge["source"], edge["target"]): edge.get("conditional", False) for edge in drawing["edges"]}
    assert edges == {
        ("__start__", "draft"): False,
        ("draft", "review"): False,
        ("review", "publish"): True,
        ("review", "discard"): True,
        ("publish", "__end__"): False,
        ("discard", "__end__"): False,
    }


async def test_the_drawing_is_found_by_an_assistants_id_too(client, assistant):
    by_id = await client.assistants.get_graph(assistant["assistant_id"])
    assert by_id == await client.assistants.get_graph("pipeline")


@pytest.mark.parametrize("depth", [True, 1])
async def test_the_drawing_shows_subgraphs_when_asked(client, depth):
    drawing = await client.assistants.get_graph("nested", xray=depth)
    ids = [node["id"] for node in drawing["nodes"]]
    assert "child:upper" in ids and "child:confirm" in ids
    assert "child" not in ids
    assert ("child:upper", "child:confirm") in {(edge["source"], edge["target"]) for edge in drawing["edges"]}


async def test_schemas_describe_input_state_and_context(client):
    schemas = await client.assistants.get_schemas(system_id("pipeline"))
    assert schemas["graph_id"] == "pipeline"
    assert set(schemas["state_schema"]["properties"]) == {"topic", "items", "count"}
    assert "topic" in schemas["input_schema"]["properties"]
    assert "items" in schemas["output_schema"]["properties"]
    context = (await client.assistants.get_schemas(system_id("memory")))["context_schema"]
    assert "user_id" in context["properties"]


async def test_subgraphs_are_listed_with_their_schemas(client):
    found = await client.assistants.get_subgraphs(system_id("nested"))
    assert set(found) == {"child"}
    assert "text" in found["child"]["input_schema"]["properties"]
    assert set(await client.assistants.get_subgraphs(system_id("nested"), namespace="child", recurse=True)) == {"child"}
    assert await client.assistants.get_subgraphs(system_id("pipeline")) == {}


@pytest.mark.parametrize("call", ["get", "get_schemas", "delete", "get_versions", "get_graph", "get_subgraphs"])
async def test_an_unknown_assistant_is_not_found(client, call):
    with pytest.raises(NotFoundError):
        await getattr(client.assistants, call)(str(uuid.uuid4()))


async def test_an_assistants_id_must_be_a_uuid(client):
    with pytest.raises(UnprocessableEntityError):
        await client.assistants.get("not-an-id")
