"""Server-sent events read from the bytes, without a client's mending."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Frame:
    """One event of a stream."""

    event: str
    data: Any
    id: str | None = None


def parse(text: str) -> list[Frame]:
    """The frames of a whole body; comments are left out."""
    found = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        fields = {}
        for line in block.split("\n"):
            if line and not line.startswith(":"):
                name, _, value = line.partition(":")
                fields[name] = value.removeprefix(" ")
        if "event" in fields or "data" in fields:
            found.append(Frame(fields.get("event", "message"), json.loads(fields["data"]), fields.get("id")))
    return found


async def read(response):
    """The frames of an open response, each as soon as it is whole."""
    held = ""
    async for text in response.aiter_text():
        held += text
        *whole, held = held.replace("\r\n", "\n").split("\n\n")
        for block in whole:
            for frame in parse(block + "\n\n"):
                yield frame


def without_end(frames):
    """The frames but for the last `end`, which older servers do not send."""
    return [frame for frame in frames if frame.event != "end"]


def ids_of(frames):
    """Ids as pairs of numbers, so that they can be compared."""
    return [tuple(int(part) for part in frame.id.split("-")) for frame in frames if frame.id]


async def collect(parts, seconds: float = 40):
    """All parts of a client's stream."""
    async with asyncio.timeout(seconds):
        return [part async for part in parts]


async def until(ask, holds, seconds: float = 40):
    """Asks again until the answer holds; for what no endpoint can wait for."""
    async with asyncio.timeout(seconds):
        while True:
            answer = await ask()
            if holds(answer):
                return answer
            await asyncio.sleep(0.01)
