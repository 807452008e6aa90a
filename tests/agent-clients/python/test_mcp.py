"""The graphs as tools of the Model Context Protocol, in both of its generations."""

import json
import uuid

import pytest
from mcp import Client, MCPError
from mcp_types import ElicitResult

GENERATIONS = ["auto", "legacy"]
pytestmark = pytest.mark.parametrize("generation", GENERATIONS)


def text_of(result):
    return "".join(block.text for block in result.content if block.type == "text")


def answers(value, seen=None, action="accept"):
    """A person who gives the value in whatever field the form has."""

    async def callback(_, asked):
        if seen is not None:
            seen.append(asked)
        field = next(iter(asked.requested_schema["properties"]))
        return ElicitResult(action=action, content={field: value} if action == "accept" else None)

    return callback


@pytest.fixture
def mcp(address, generation):
    """Makes a client of the protocol."""
    return lambda **more: Client(f"{address}/mcp", mode=generation, read_timeout_seconds=40, **more)


async def test_every_graph_is_a_tool_with_a_schema_of_its_input(mcp):
    async with mcp() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) >= {"approval", "chat_review", "echo_chat", "fanout", "faulty", "memory", "nested", "pipeline", "ticker"}
    assert tools["pipeline"].input_schema["type"] == "object"
    assert "topic" in tools["pipeline"].input_schema["properties"]


async def test_every_tool_has_a_schema_of_its_output(mcp):
    async with mcp() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert "count" in tools["pipeline"].output_schema["properties"]


async def test_the_server_speaks_the_generation_asked_for(mcp, generation):
    async with mcp() as client:
        assert client.protocol_version >= ("2026-07-28" if generation == "auto" else "2025-06-18")


async def test_a_call_gives_structured_content_and_the_same_as_text(mcp):
    async with mcp() as client:
        result = await client.call_tool("pipeline", {"topic": "a"})
    assert not result.is_error
    assert result.structured_content == {"topic": "a", "items": ["plan:a", "work:a", "finish:a"], "count": 3}
    assert json.loads(text_of(result)) == result.structured_content


async def test_a_failure_is_a_result_with_the_graphs_own_message(mcp):
    async with mcp() as client:
        result = await client.call_tool("faulty", {"mode": "fail"})
    assert result.is_error
    assert "boom: mode=fail" in text_of(result)


async def test_an_unknown_tool_is_an_error(mcp):
    async with mcp() as client:
        with pytest.raises(MCPError):
            await client.call_tool("no_such_tool", {})


async def test_what_a_node_writes_is_progress(mcp):
    seen = []

    async def progress(done, total, _message):
        seen.append((done, total))

    async with mcp() as client:
        await client.call_tool("pipeline", {"topic": "a"}, progress_callback=progress)
    assert len(seen) >= 3
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})


@pytest.mark.parametrize(("answer", "last"), [("approve", "publish"), ("no", "discard")])
async def test_a_question_is_an_elicitation(mcp, answer, last):
    seen = []
    async with mcp(elicitation_callback=answers(answer, seen)) as client:
        result = await client.call_tool("approval", {"request": "r"})
    assert len(seen) == 1
    assert "Approve?" in seen[0].message
    assert result.structured_content["log"] == ["draft", f"review:{answer}", last]


async def test_several_questions_are_several_elicitations(mcp):
    seen = []
    async with mcp(elicitation_callback=answers("yes", seen)) as client:
        result = await client.call_tool("fanout", {"names": ["a", "b"], "ask": True})
    assert len(seen) == 2
    assert result.structured_content["results"] == ["a:yes", "b:yes", "total:2"]


async def test_a_question_that_is_declined_ends_the_call(mcp):
    async with mcp(elicitation_callback=answers(None, action="decline")) as client:
        result = await client.call_tool("approval", {"request": "r"})
    assert "publish" not in text_of(result)


async def test_a_client_without_forms_answers_with_a_tool(mcp):
    async with mcp() as client:
        result = await client.call_tool("approval", {"request": "r"})
        assert "Approve?" in text_of(result)
        arguments = json.loads(text_of(result).rpartition(" with ")[2])
        result = await client.call_tool("answer", {**arguments, "answer": "approve"})
    assert result.structured_content["log"] == ["draft", "review:approve", "publish"]


async def test_a_chat_gives_what_was_said_as_text(mcp):
    async with mcp() as client:
        result = await client.call_tool("echo_chat", {"messages": [{"role": "user", "content": "hi"}]})
    assert result.content[0].text == "Echo: hi"
    assert [message["content"] for message in result.structured_content["messages"]] == ["hi", "Echo: hi"]


async def test_calls_do_not_share_a_thread(mcp):
    async with mcp() as client:
        for _ in range(2):
            result = await client.call_tool("pipeline", {"topic": "a"})
            assert len(result.structured_content["items"]) == 3


async def test_an_assistant_is_a_tool(mcp, client):
    name = f"tool_{uuid.uuid4().hex}"
    made = await client.assistants.create("pipeline", name=name, description="What it is for")
    async with mcp() as mcp_client:
        tool = next(tool for tool in (await mcp_client.list_tools()).tools if tool.name == name)
        assert tool.description == "What it is for"
        assert (await mcp_client.call_tool(name, {"topic": "a"})).structured_content["count"] == 3
    await client.assistants.delete(made["assistant_id"])
