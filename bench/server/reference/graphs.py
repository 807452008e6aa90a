"""The demo graphs of the server, written for LangGraph, so that one client can be run against both servers."""

import asyncio
import operator
from typing import Annotated, Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime
from langgraph.types import Command, Send, StreamWriter, interrupt
from typing_extensions import NotRequired, TypedDict


def text_of(message: BaseMessage) -> str:
    """The text of a message, whose content is a string or a list of blocks."""
    content = message.content
    if isinstance(content, str):
        return content
    return "".join(block if isinstance(block, str) else block.get("text", "") for block in content)


# A chat model that streams the last message back.


class Chat(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


async def answer(state: Chat) -> dict:
    said = text_of(state["messages"][-1])
    model = GenericFakeChatModel(messages=iter([AIMessage(content=f"Echo: {said}")]))
    return {"messages": [await model.ainvoke(state["messages"])]}


echo_chat = StateGraph(Chat).add_node("model", answer).add_edge(START, "model").add_edge("model", END).compile()


# A chat whose reply a person sees first.


class Review(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    reply: NotRequired[str]


def compose(state: Review) -> dict:
    return {"reply": f"Reply to {text_of(state['messages'][-1])}"}


def confirm_reply(state: Review) -> dict:
    choice = interrupt({"question": "Send?", "reply": state["reply"]})
    return {"messages": [AIMessage(content=state["reply"] if choice == "send" else str(choice))]}


chat_review = (
    StateGraph(Review)
    .add_node("compose", compose)
    .add_node("confirm_reply", confirm_reply)
    .add_edge(START, "compose")
    .add_edge("compose", "confirm_reply")
    .add_edge("confirm_reply", END)
    .compile()
)


# Three nodes in a row.


class Pipeline(TypedDict):
    topic: NotRequired[str]
    items: Annotated[list[str], operator.add]
    count: NotRequired[int]


def plan(state: Pipeline) -> dict:
    return {"items": [f"plan:{state['topic']}"]}


def work(state: Pipeline, writer: StreamWriter) -> dict:
    for done in (1, 2, 3):
        writer({"progress": done, "of": 3})
    return {"items": [f"work:{state['topic']}"]}


def finish(state: Pipeline) -> dict:
    return {"items": [f"finish:{state['topic']}"], "count": len(state["items"]) + 1}


pipeline = (
    StateGraph(Pipeline)
    .add_node("plan", plan)
    .add_node("work", work)
    .add_node("finish", finish)
    .add_edge(START, "plan")
    .add_edge("plan", "work")
    .add_edge("work", "finish")
    .add_edge("finish", END)
    .compile()
)


# A draft that a person approves or rejects.


class Approval(TypedDict):
    request: NotRequired[str]
    draft: NotRequired[str]
    decision: NotRequired[str]
    log: Annotated[list[str], operator.add]


def draft(state: Approval) -> dict:
    return {"draft": f"Draft for {state['request']}", "log": ["draft"]}


def review(state: Approval) -> Command:
    verdict = interrupt({"question": "Approve?", "draft": state["draft"]})
    decision = verdict.get("decision", "reject") if isinstance(verdict, dict) else str(verdict)
    return Command(
        update={"decision": decision, "log": [f"review:{decision}"]},
        goto="publish" if decision == "approve" else "discard",
    )


approval = (
    StateGraph(Approval)
    .add_node("draft", draft)
    .add_node("review", review, destinations=("publish", "discard"))
    .add_node("publish", lambda _: {"log": ["publish"]})
    .add_node("discard", lambda _: {"log": ["discard"]})
    .add_edge(START, "draft")
    .add_edge("draft", "review")
    .add_edge("publish", END)
    .add_edge("discard", END)
    .compile()
)


# A graph in a graph, whose inner one may ask.


class Nested(TypedDict):
    text: NotRequired[str]
    trail: Annotated[list[str], operator.add]
    ask: NotRequired[bool]


def upper(state: Nested) -> dict:
    return {"text": state["text"].upper(), "trail": ["child.upper"]}


def confirm(state: Nested) -> dict:
    text = state["text"]
    if state.get("ask"):
        text += str(interrupt({"question": "Keep?", "text": text}))
    return {"text": text, "trail": ["child.confirm"]}


inner = (
    StateGraph(Nested)
    .add_node("upper", upper)
    .add_node("confirm", confirm)
    .add_edge(START, "upper")
    .add_edge("upper", "confirm")
    .add_edge("confirm", END)
    .compile()
)


def prepare(state: Nested) -> dict:
    return {"text": state["text"].strip(), "trail": ["prepare"]}


async def child(state: Nested) -> dict:
    result = await inner.ainvoke({"text": state["text"], "ask": state.get("ask", False)})
    return {"text": result["text"], "trail": result["trail"]}


def wrap(state: Nested) -> dict:
    return {"text": f"<{state['text']}>", "trail": ["wrap"]}


nested = (
    StateGraph(Nested)
    .add_node("prepare", prepare)
    .add_node("child", child)
    .add_node("wrap", wrap)
    .add_edge(START, "prepare")
    .add_edge("prepare", "child")
    .add_edge("child", "wrap")
    .add_edge("wrap", END)
    .compile()
)


# A loop, a super-step a tick.


class Ticker(TypedDict):
    n: NotRequired[int]
    delay_ms: NotRequired[int]
    ticks: Annotated[list[int], operator.add]


async def tick(state: Ticker, writer: StreamWriter) -> dict:
    await asyncio.sleep(state.get("delay_ms", 50) / 1000)
    number = len(state["ticks"]) + 1
    writer({"tick": number})
    return {"ticks": [number]}


def again(state: Ticker) -> str:
    return "tick" if len(state["ticks"]) < state["n"] else END


ticker = (
    StateGraph(Ticker)
    .add_node("tick", tick)
    .add_edge(START, "tick")
    .add_conditional_edges("tick", again, ["tick", END])
    .compile()
)


# A node that fails when told to.


class Faulty(TypedDict):
    mode: NotRequired[str]
    log: Annotated[list[str], operator.add]


def boom(state: Faulty) -> dict:
    if state.get("mode") == "fail":
        raise ValueError("boom: mode=fail")
    return {"log": ["boom"]}


faulty = (
    StateGraph(Faulty)
    .add_node("before", lambda _: {"log": ["before"]})
    .add_node("boom", boom)
    .add_edge(START, "before")
    .add_edge("before", "boom")
    .add_edge("boom", END)
    .compile()
)


# A worker a name, joined.


class Fanout(TypedDict):
    names: NotRequired[list[str]]
    ask: NotRequired[bool]
    results: Annotated[list[str], operator.add]


def workers(state: Fanout) -> list[Send]:
    return [Send("worker", {"name": name, "ask": state.get("ask", False)}) for name in state["names"]]


def worker(state: dict[str, Any]) -> dict:
    suffix = interrupt({"name": state["name"]}) if state["ask"] else "ok"
    return {"results": [f"{state['name']}:{suffix}"]}


fanout = (
    StateGraph(Fanout)
    .add_node("split", lambda _: None)
    .add_node("worker", worker)
    .add_node("join", lambda state: {"results": [f"total:{len(state['results'])}"]})
    .add_edge(START, "split")
    .add_conditional_edges("split", workers, ["worker"])
    .add_edge("worker", "join")
    .add_edge("join", END)
    .compile()
)


# Notes that outlive the thread.


class Notes(TypedDict):
    note: NotRequired[str]
    recalled: NotRequired[list[str]]
    who: NotRequired[str]


class User(TypedDict, total=False):
    user_id: str


async def remember(state: Notes, runtime: Runtime[User]) -> dict:
    who = (runtime.context or {}).get("user_id") or "anonymous"
    space = ("memories", who)
    await runtime.store.aput(space, state["note"], {"note": state["note"]})
    found = await runtime.store.asearch(space, limit=1000)
    return {"recalled": sorted(item.value["note"] for item in found), "who": who}


memory = (
    StateGraph(Notes, context_schema=User)
    .add_node("remember", remember)
    .add_edge(START, "remember")
    .add_edge("remember", END)
    .compile()
)
