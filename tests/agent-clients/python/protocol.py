"""The event streaming protocol spoken by hand: commands, and streams of events over both transports."""

import asyncio
import itertools
import json
import uuid

import websockets

from frames import read

CHANNELS = ["values", "updates", "messages", "tools", "lifecycle", "input", "checkpoints", "tasks", "custom"]
ENDS = ("completed", "failed", "interrupted")
numbers = itertools.count(1)


def new_thread():
    """The id of a thread that need not exist."""
    return str(uuid.uuid4())


async def command(wire, thread, method, **params):
    """Sends one command and gives the whole answer."""
    number = next(numbers)
    answer = await wire.post(f"/threads/{thread}/commands", json={"id": number, "method": method, "params": params})
    assert answer.status_code == 200, answer.text
    assert answer.json()["id"] == number
    return answer.json()


async def start(wire, thread, graph, value, **more):
    """Starts a run and gives its id."""
    answer = await command(wire, thread, "run.start", assistant_id=graph, input=value, **more)
    assert answer["type"] == "success", answer
    return answer["result"]["run_id"]


def is_end(event):
    """Whether an event tells the end of a run."""
    params = event["params"]
    return event["method"] == "lifecycle" and not params["namespace"] and params["data"]["event"] in ENDS


async def events(wire, thread, channels, ends=1, seconds=40, **more):
    """The events of a thread until so many runs have ended. The stream must have the channel `lifecycle`."""
    seen = []
    async with asyncio.timeout(seconds), wire.stream("POST", f"/threads/{thread}/stream/events", json={"channels": channels, **more}) as answer:
        assert answer.status_code == 200
        async for frame in read(answer):
            assert (frame.event, frame.id) == (frame.data["method"], str(frame.data["seq"]))
            seen.append(frame.data)
            ends -= is_end(frame.data)
            if not ends:
                return seen
    return seen


def data_of(seen, method, namespace=None):
    """The data of all events of a method, in a namespace if one is given."""
    return [one["params"]["data"] for one in seen if one["method"] == method and namespace in (None, one["params"]["namespace"])]


class Socket:
    """One WebSocket of a thread."""

    def __init__(self, address, thread):
        self.url = f"{address.replace('http', 'ws', 1)}/threads/{thread}/stream/events"

    async def __aenter__(self):
        self.socket = await websockets.connect(self.url)
        self.seen = []
        return self

    async def __aexit__(self, *_):
        await self.socket.close()

    async def command(self, method, **params):
        """Sends one command and gives its answer; events that come before it are kept."""
        number = next(numbers)
        await self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        async with asyncio.timeout(40):
            while True:
                message = json.loads(await self.socket.recv())
                if message["type"] != "event":
                    assert message["id"] == number
                    return message
                self.seen.append(message)

    async def until_end(self, ends=1, seconds=40):
        """All events until so many runs have ended."""
        async with asyncio.timeout(seconds):
            while sum(map(is_end, self.seen)) < ends:
                message = json.loads(await self.socket.recv())
                if message["type"] == "event":
                    self.seen.append(message)
        return self.seen
