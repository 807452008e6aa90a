"""Writes `langgraph.json`: what LangGraph keeps of messages, and of turns of changes to them.

    pip install langgraph==1.2.22
    python ask_langgraph.py > langgraph.json
"""

import json
import random
from collections.abc import Iterator

from langchain_core.messages import HumanMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages

CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}

# Each has an id, since a random one cannot be compared.
FORMS = [
    {"role": "user", "content": "hi", "id": "m"},
    {"role": "assistant", "content": "hi", "id": "m", "name": "bob"},
    {"role": "developer", "content": "hi", "id": "m"},
    {"role": "system", "content": [{"type": "text", "text": "a"}, "b"], "id": "m"},
    {"type": "human", "content": "hi", "id": 7},
    {"type": "ai", "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": "u"}], "id": "m"},
    {"type": "ai", "content": "", "id": "m", "tool_calls": [{"id": "c1", "args": {}, "name": "add"}]},
    {"type": "ai", "content": "", "id": "m", "response_metadata": {"b": 1, "a": 2}},
    {"role": "assistant", "content": None, "id": "m", "tool_calls": [CALL]},
    {"role": "tool", "content": "7", "id": "m", "tool_call_id": "c1"},
    {"type": "tool", "content": "7", "id": "m", "tool_call_id": "c1", "name": "add", "status": "error"},
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain_core", "messages", "AIMessage"],
        "kwargs": {"content": "hi", "type": "ai", "id": "m"},
    },
]


def turn(draw: random.Random, kept: list[str]) -> Iterator[dict]:
    """Changes that LangGraph takes: it refuses to remove what is not there."""
    there = set(kept)
    if draw.random() < 0.1:
        yield {"remove": REMOVE_ALL_MESSAGES}
        for name in draw.sample("abcdefgh", draw.randrange(4)):
            yield {"id": name, "text": f"t{draw.randrange(100)}"}
        return
    for _ in range(draw.randrange(6)):
        if there and draw.random() < 0.35:
            yield {"remove": draw.choice(sorted(there))}
        else:
            name = draw.choice("abcdefgh")
            there.add(name)
            yield {"id": name, "text": f"t{draw.randrange(100)}"}


def message(change: dict) -> HumanMessage | RemoveMessage:
    if "remove" in change:
        return RemoveMessage(id=change["remove"])
    return HumanMessage(change["text"], id=change["id"])


def conversations(count: int) -> Iterator[dict]:
    draw = random.Random(20)
    for _ in range(count):
        kept, turns = [], []
        for _ in range(draw.randrange(1, 6)):
            changes = list(turn(draw, [each.id for each in kept]))
            kept = add_messages(kept, [message(change) for change in changes])
            turns.append(changes)
        yield {"turns": turns, "kept": [{"id": each.id, "text": each.text} for each in kept]}


def lines(rows: Iterator[dict]) -> str:
    return "[\n" + ",\n".join("    " + json.dumps(row) for row in rows) + "\n  ]"


forms = ({"given": form, "kept": add_messages([], [form])[0].model_dump()} for form in FORMS)
print('{\n  "forms": ' + lines(forms) + ',\n  "conversations": ' + lines(conversations(100)) + "\n}")
