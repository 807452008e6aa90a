"""The graphs as agents of the Agent2Agent protocol: its version 1.0 with the official client, and the names of 0.3."""

import uuid

import httpx
import pytest
from a2a.client import ClientConfig, create_client
from a2a.helpers.proto_helpers import get_artifact_text, get_message_text, get_stream_response_text, new_text_message
from a2a.types import CancelTaskRequest, GetTaskRequest, Role, SendMessageRequest, TaskState
from a2a.utils.errors import TaskNotFoundError

ECHO = "299f12a6-0fbf-5a97-b904-18a4cb638d48"
REVIEW = str(uuid.uuid5(uuid.UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8"), "chat_review"))
CARD = "/.well-known/agent-card.json"


@pytest.fixture
def agent(address):
    """Makes the official client of an assistant, from its card."""

    async def make(assistant, streaming):
        http = httpx.AsyncClient(timeout=40)
        card = f"{CARD}?assistant_id={assistant}"
        return await create_client(address, ClientConfig(streaming=streaming, httpx_client=http), relative_card_path=card)

    return make


def says(text, task=None):
    """A message of the user, in the context of a task if one is given."""
    more = {"context_id": task.context_id, "task_id": task.id} if task else {}
    return SendMessageRequest(message=new_text_message(text, role=Role.ROLE_USER, **more))


async def send(client, request):
    return [response async for response in client.send_message(request)]


def text_of(task):
    """What the agent has said in a task: in its artefacts, or in its status."""
    said = "".join(get_artifact_text(artifact) for artifact in task.artifacts)
    return said or get_message_text(task.status.message)


async def test_the_card_says_how_the_agent_is_reached(wire):
    card = (await wire.get(CARD, params={"assistant_id": ECHO})).json()
    assert card["name"]
    assert card["capabilities"]["streaming"] is True
    assert any(skill["id"] for skill in card["skills"])


async def test_the_card_names_the_interfaces_of_version_one(wire):
    card = (await wire.get(CARD, params={"assistant_id": ECHO})).json()
    interface = next(one for one in card["supportedInterfaces"] if one["protocolVersion"].startswith("1."))
    assert (interface["protocolBinding"], ECHO in interface["url"]) == ("JSONRPC", True)


async def test_there_is_a_card_without_an_assistant(wire):
    answer = await wire.get(CARD)
    assert (answer.status_code, bool(answer.json()["name"])) == (200, True)


async def test_a_message_is_answered(agent):
    async with await agent(ECHO, False) as client:
        (response,) = await send(client, says("hi there"))
    assert response.task.status.state == TaskState.TASK_STATE_COMPLETED
    assert text_of(response.task) == "Echo: hi there"


async def test_a_task_is_read_again(agent):
    async with await agent(ECHO, False) as client:
        (response,) = await send(client, says("hi"))
        task = await client.get_task(GetTaskRequest(id=response.task.id))
    assert (task.id, task.context_id, task.status.state) == (response.task.id, response.task.context_id, TaskState.TASK_STATE_COMPLETED)


async def test_the_context_is_the_thread(agent, client):
    async with await agent(ECHO, False) as a2a:
        (response,) = await send(a2a, says("hi"))
    state = await client.threads.get_state(response.task.context_id)
    assert state["values"]["messages"][-1]["content"] == "Echo: hi"


async def test_a_message_is_streamed(agent):
    async with await agent(ECHO, True) as client:
        responses = await send(client, says("hi there"))
    kinds = [response.WhichOneof("payload") for response in responses]
    assert set(kinds) <= {"task", "status_update", "artifact_update", "message"}
    assert kinds[0] == "task"
    assert "Echo: hi there" in "".join(get_stream_response_text(one) for one in responses if one.WhichOneof("payload") == "artifact_update")
    last = next(one for one in reversed(responses) if one.WhichOneof("payload") == "status_update")
    assert last.status_update.status.state == TaskState.TASK_STATE_COMPLETED


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
async def test_a_question_needs_input_and_is_resumed(agent, client, streaming):
    async with await agent(REVIEW, streaming) as a2a:
        responses = await send(a2a, says("hi"))
        if streaming:
            update = next(one.status_update for one in reversed(responses) if one.WhichOneof("payload") == "status_update")
            assert update.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
            task = await a2a.get_task(GetTaskRequest(id=update.task_id))
        else:
            task = responses[0].task
        assert task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
        await send(a2a, says("send", task))
    state = await client.threads.get_state(task.context_id)
    assert [(one["type"], one["content"]) for one in state["values"]["messages"]] == [("human", "hi"), ("ai", "Reply to hi")]


async def test_an_unknown_task_is_an_error(agent):
    async with await agent(ECHO, False) as client:
        with pytest.raises(TaskNotFoundError):
            await client.get_task(GetTaskRequest(id=f"{uuid.uuid4()}:{uuid.uuid4()}"))
        with pytest.raises(TaskNotFoundError):
            await client.cancel_task(CancelTaskRequest(id=f"{uuid.uuid4()}:{uuid.uuid4()}"))


# The wire itself, and the names of 0.3.


async def call(wire, method, params, **headers):
    answer = await wire.post(f"/a2a/{ECHO}", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, headers=headers)
    return answer.json()


def old_message(text):
    return {"message": {"kind": "message", "role": "user", "messageId": str(uuid.uuid4()), "parts": [{"kind": "text", "text": text}]}}


async def test_the_names_of_the_older_version_are_known(wire):
    result = (await call(wire, "message/send", old_message("hi there")))["result"]
    assert (result["kind"], result["status"]["state"]) == ("task", "completed")
    assert "Echo: hi there" in str(result["artifacts"])
    again = (await call(wire, "tasks/get", {"id": result["id"], "contextId": result["contextId"]}))["result"]
    assert again["id"] == result["id"]


async def test_the_older_version_is_streamed(wire):
    body = {"jsonrpc": "2.0", "id": 1, "method": "message/stream", "params": old_message("hi there")}
    answer = await wire.post(f"/a2a/{ECHO}", json=body, headers={"Accept": "text/event-stream"})
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert '"completed"' in answer.text


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [("no/such", {}, -32601), ("SendMessage", {}, -32602), ("GetTask", {"id": f"{uuid.uuid4()}:{uuid.uuid4()}"}, -32001)],
    ids=["method", "params", "task"],
)
async def test_an_error_has_its_code(wire, method, params, code):
    assert (await call(wire, method, params, **{"A2A-Version": "1.0"}))["error"]["code"] == code
