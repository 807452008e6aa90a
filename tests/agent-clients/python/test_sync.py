"""The Python client without a loop, which has code of its own for requests and streams."""

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.errors import ConflictError, NotFoundError

DONE = {"topic": "a", "items": ["plan:a", "work:a", "finish:a"], "count": 3}


@pytest.fixture(scope="module")
def client(address):
    """The client without a loop."""
    with get_sync_client(url=address, api_key=None) as client:
        yield client


@pytest.fixture
def thread(client):
    """The id of a new thread."""
    return client.threads.create()["thread_id"]


def test_a_run_is_waited_for(client, thread):
    assert client.runs.wait(thread, "pipeline", input={"topic": "a"}) == DONE
    assert client.threads.get_state(thread)["values"] == DONE
    assert [one["metadata"]["step"] for one in client.threads.get_history(thread)] == [3, 2, 1, 0, -1]


def test_a_run_is_joined_and_its_stream_taken_up(client, thread):
    run = client.runs.create(thread, "ticker", input={"n": 4, "delay_ms": 5}, stream_mode="custom", stream_resumable=True)
    assert client.runs.join(thread, run["run_id"])["ticks"] == [1, 2, 3, 4]
    whole = list(client.runs.join_stream(thread, run["run_id"], stream_mode="custom", last_event_id="-1"))
    assert [part.data["tick"] for part in whole if part.event == "custom"] == [1, 2, 3, 4]
    rest = list(client.runs.join_stream(thread, run["run_id"], stream_mode="custom", last_event_id=whole[2].id))
    assert [part.data for part in rest] == [part.data for part in whole[3:]]


def test_a_run_is_streamed(client, thread):
    made = []
    parts = list(client.runs.stream(thread, "pipeline", input={"topic": "a"}, stream_mode=["updates", "custom"], on_run_created=made.append))
    assert [next(iter(part.data)) for part in parts if part.event == "updates"] == ["plan", "work", "finish"]
    assert [one["thread_id"] for one in made] == [thread]


def test_a_question_is_answered(client, thread):
    asked = client.runs.wait(thread, "approval", input={"request": "r"})
    question = asked["__interrupt__"][0]["id"]
    assert client.runs.wait(thread, "approval", command={"resume": {question: "approve"}})["log"][-1] == "publish"


def test_a_failure_is_raised(client, thread):
    with pytest.raises(Exception, match="boom: mode=fail"):
        client.runs.wait(thread, "faulty", input={"mode": "fail"})


def test_what_is_refused_has_its_own_exception(client, thread):
    with pytest.raises(ConflictError):
        client.threads.create(thread_id=thread)
    client.threads.delete(thread)
    with pytest.raises(NotFoundError):
        client.threads.get(thread)


def test_a_thread_streams_its_events(client):
    with client.threads.stream(assistant_id="echo_chat") as stream:
        stream.run.start(input={"messages": [{"role": "user", "content": "hi there"}]})
        (message,) = list(stream.messages)
        assert "".join(message.text) == "Echo: hi there"
