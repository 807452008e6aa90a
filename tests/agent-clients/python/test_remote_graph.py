"""A graph of the server used as one of LangGraph's own: called, streamed, inspected, and as a node of a local graph."""

import uuid
from typing import TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.pregel.remote import RemoteException, RemoteGraph
from langgraph.types import Command

DONE = {"topic": "a", "items": ["plan:a", "work:a", "finish:a"], "count": 3}


@pytest.fixture
def remote(address):
    """Makes the remote graph of a name."""
    return lambda graph: RemoteGraph(graph, url=address, api_key="none")


def on(thread):
    return {"configurable": {"thread_id": thread}}


async def test_a_remote_graph_is_called(remote):
    assert await remote("pipeline").ainvoke({"topic": "a"}) == DONE


def test_a_remote_graph_is_called_without_a_loop(remote):
    assert remote("pipeline").invoke({"topic": "a"}) == DONE


async def test_a_remote_graph_is_streamed(remote):
    seen = [part async for part in remote("pipeline").astream({"topic": "a"}, stream_mode=["updates", "custom"])]
    assert [next(iter(data)) for mode, data, *_ in seen if mode == "updates"] == ["plan", "work", "finish"]
    assert [data["progress"] for mode, data, *_ in seen if mode == "custom"] == [1, 2, 3]


async def test_a_remote_graph_streams_its_subgraphs(remote):
    seen = [part async for part in remote("nested").astream({"text": " hi "}, stream_mode="updates", subgraphs=True)]
    places = [(namespace[0].split(":")[0] if namespace else "", next(iter(data))) for namespace, data in seen]
    assert places == [("", "prepare"), ("child", "upper"), ("child", "confirm"), ("", "child"), ("", "wrap")]


async def test_a_remote_graph_streams_messages(remote):
    stream = remote("echo_chat").astream({"messages": [{"role": "user", "content": "hi there"}]}, stream_mode="messages")
    seen = [part async for part in stream]
    assert "".join(message["content"] for message, _ in seen) == "Echo: hi there"


async def test_a_question_of_a_remote_graph_is_answered(remote, thread):
    graph = remote("approval")
    asked = await graph.ainvoke({"request": "r"}, on(thread))
    assert [one["value"]["question"] if isinstance(one, dict) else one.value["question"] for one in asked["__interrupt__"]] == ["Approve?"]
    state = await graph.aget_state(on(thread))
    assert state.next == ("review",)
    assert state.interrupts[0].value == {"question": "Approve?", "draft": "Draft for r"}
    result = await graph.ainvoke(Command(resume="approve"), on(thread))
    assert result["log"] == ["draft", "review:approve", "publish"]


async def test_the_failure_of_a_remote_graph_is_raised(remote):
    with pytest.raises(RemoteException, match="boom"):
        await remote("faulty").ainvoke({"mode": "fail"})


async def test_the_state_of_a_remote_graph_is_read_and_changed(remote, thread):
    graph = remote("pipeline")
    await graph.ainvoke({"topic": "a"}, on(thread))
    state = await graph.aget_state(on(thread))
    assert (state.values, state.next) == (DONE, ())
    assert state.metadata["step"] == 3
    config = await graph.aupdate_state(on(thread), {"items": ["by hand"]}, as_node="work")
    assert config["configurable"]["thread_id"] == thread
    state = await graph.aget_state(config)
    assert (state.values["items"][-1], state.next) == ("by hand", ("finish",))
    result = await graph.ainvoke(None, on(thread))
    assert result["items"][-1] == "finish:a"


async def test_the_history_of_a_remote_graph_is_read(remote, thread):
    graph = remote("pipeline")
    await graph.ainvoke({"topic": "a"}, on(thread))
    history = [state async for state in graph.aget_state_history(on(thread))]
    assert [state.metadata["step"] for state in history] == [3, 2, 1, 0, -1]
    old = history[2]
    forked = await graph.ainvoke(None, old.config)
    assert forked == DONE


async def test_a_thread_that_does_not_exist_is_made(remote, client):
    thread = str(uuid.uuid4())
    assert await remote("pipeline").ainvoke({"topic": "a"}, on(thread)) == DONE
    assert (await client.threads.get_state(thread))["values"] == DONE


async def test_a_remote_graph_stops_before_a_node(remote, thread):
    graph = remote("pipeline")
    await graph.ainvoke({"topic": "a"}, on(thread), interrupt_before=["work"])
    assert (await graph.aget_state(on(thread))).next == ("work",)
    assert await graph.ainvoke(None, on(thread)) == DONE


async def test_a_remote_graph_is_drawn(remote):
    drawing = await remote("approval").aget_graph()
    assert set(drawing.nodes) == {"__start__", "draft", "review", "publish", "discard", "__end__"}
    assert {(edge.source, edge.target) for edge in drawing.edges if edge.conditional} == {("review", "publish"), ("review", "discard")}
    deep = await remote("nested").aget_graph(xray=True)
    assert "child:upper" in deep.nodes


class State(TypedDict, total=False):
    topic: str
    items: list[str]
    count: int
    said: str


@pytest.fixture
def local(remote):
    """A local graph whose second node is a graph of the server."""
    return (
        StateGraph(State)
        .add_node("before", lambda _: {"topic": "node"})
        .add_node("remote", remote("pipeline"))
        .add_node("after", lambda state: {"said": f"{state['count']} items"})
        .add_edge(START, "before")
        .add_edge("before", "remote")
        .add_edge("remote", "after")
        .add_edge("after", END)
        .compile()
    )


async def test_a_remote_graph_is_a_node_of_a_local_one(local):
    assert await local.ainvoke({}) == {"topic": "node", "items": ["plan:node", "work:node", "finish:node"], "count": 3, "said": "3 items"}


async def test_a_remote_node_is_given_more_than_its_graph_has_fields_for(local):
    result = await local.ainvoke({"said": "before"})
    assert (result["items"], result["said"]) == (["plan:node", "work:node", "finish:node"], "3 items")


async def test_the_steps_of_a_remote_node_are_streamed(local):
    seen = [(namespace, next(iter(data))) async for namespace, data in local.astream({}, stream_mode="updates", subgraphs=True)]
    inner = [node for namespace, node in seen if namespace]
    assert inner == ["plan", "work", "finish"]
