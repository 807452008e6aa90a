"""The graphs as models of OpenAI's client: chat completions, responses and the list of models."""

import uuid

import openai
import pytest


@pytest.fixture(scope="module")
async def ai(address):
    """OpenAI's client, pointed at the server."""
    async with openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as ai:
        yield ai


def says(text):
    return [{"role": "user", "content": text}]


def in_chat(chat):
    """The header by which a chat page tells which chat a request belongs to."""
    return {"X-OpenWebUI-Chat-Id": chat}


async def test_models_are_listed(ai):
    models = [model async for model in await ai.models.list()]
    assert {"echo_chat", "chat_review"} <= {model.id for model in models}
    assert {model.object for model in models} == {"model"}


async def test_a_model_is_read_by_its_name(ai):
    assert (await ai.models.retrieve("echo_chat")).id == "echo_chat"


async def test_a_chat_is_answered(ai):
    answer = await ai.chat.completions.create(model="echo_chat", messages=says("hi there"))
    (choice,) = answer.choices
    assert (choice.message.role, choice.message.content, choice.finish_reason) == ("assistant", "Echo: hi there", "stop")
    assert (answer.object, answer.model) == ("chat.completion", "echo_chat")
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


async def test_a_chat_is_streamed(ai):
    chunks = [chunk async for chunk in await ai.chat.completions.create(model="echo_chat", messages=says("hi there"), stream=True)]
    assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}
    assert len({chunk.id for chunk in chunks}) == 1
    assert chunks[0].choices[0].delta.role == "assistant"
    pieces = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    assert pieces == ["Echo:", " ", "hi", " ", "there"]
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert all(chunk.usage is None for chunk in chunks)


async def test_a_stream_ends_with_its_usage_when_asked(ai):
    stream = await ai.chat.completions.create(model="echo_chat", messages=says("hi"), stream=True, stream_options={"include_usage": True})
    chunks = [chunk async for chunk in stream]
    assert chunks[-1].choices == []
    assert chunks[-1].usage.total_tokens == chunks[-1].usage.prompt_tokens + chunks[-1].usage.completion_tokens
    assert all(chunk.usage is None for chunk in chunks[:-1])


async def test_a_stream_ends_with_done(wire):
    answer = await wire.post("/v1/chat/completions", json={"model": "echo_chat", "messages": says("hi"), "stream": True})
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text.replace("\r\n", "\n").rstrip().endswith("data: [DONE]")


async def test_the_content_of_a_message_can_be_parts(ai):
    parts = [{"type": "text", "text": "hi "}, {"type": "text", "text": "there"}]
    answer = await ai.chat.completions.create(model="echo_chat", messages=[{"role": "user", "content": parts}])
    assert answer.choices[0].message.content == "Echo: hi there"


async def test_an_unknown_model_is_not_found(ai, wire):
    with pytest.raises(openai.NotFoundError) as refused:
        await ai.chat.completions.create(model="no_such_model", messages=says("hi"))
    assert refused.value.code == "model_not_found"
    error = (await wire.post("/v1/chat/completions", json={"model": "no_such_model", "messages": says("hi")})).json()["error"]
    assert set(error) >= {"message", "type", "param", "code"}


@pytest.mark.parametrize("body", [{"messages": []}, {"model": "echo_chat"}, {"model": "echo_chat", "messages": "hi"}, {"model": 1, "messages": []}], ids=["no model", "no messages", "a text", "a number"])
async def test_a_bad_body_is_refused_with_an_error_of_openai(wire, body):
    answer = await wire.post("/v1/chat/completions", json=body)
    assert answer.status_code in (400, 404, 422)
    assert answer.json()["error"]["message"]


async def test_a_chats_id_keeps_its_thread(ai):
    chat = str(uuid.uuid4())
    first = await ai.chat.completions.create(model="chat_review", messages=says("hi"), extra_headers=in_chat(chat))
    assert "Send?" in first.choices[0].message.content
    history = [*says("hi"), {"role": "assistant", "content": first.choices[0].message.content}, *says("send")]
    second = await ai.chat.completions.create(model="chat_review", messages=history, extra_headers=in_chat(chat))
    assert second.choices[0].message.content == "Reply to hi"


async def test_a_question_is_the_assistants_turn_in_a_stream_too(ai):
    stream = await ai.chat.completions.create(model="chat_review", messages=says("hi"), stream=True, extra_headers=in_chat(str(uuid.uuid4())))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in [one async for one in stream] if chunk.choices)
    assert "Send?" in text


async def test_a_response_is_given(ai):
    answer = await ai.responses.create(model="echo_chat", input="hi there")
    assert (answer.status, answer.output_text) == ("completed", "Echo: hi there")


async def test_a_response_is_streamed(ai):
    events = [event async for event in await ai.responses.create(model="echo_chat", input="hi there", stream=True)]
    kinds = [event.type for event in events]
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == "Echo: hi there"
    numbers = [event.sequence_number for event in events]
    assert numbers == sorted(set(numbers))
    assert events[-1].response.output_text == "Echo: hi there"


async def test_a_question_is_a_function_call_that_the_next_response_answers(ai):
    asked = await ai.responses.create(model="chat_review", input="hi")
    call = next(item for item in asked.output if item.type == "function_call")
    assert "Send?" in call.arguments
    answer = await ai.responses.create(
        model="chat_review",
        previous_response_id=asked.id,
        input=[{"type": "function_call_output", "call_id": call.call_id, "output": "send"}],
    )
    assert answer.output_text == "Reply to hi"


async def test_a_response_goes_on_from_the_one_before(ai, client):
    first = await ai.responses.create(model="echo_chat", input="one")
    second = await ai.responses.create(model="echo_chat", input="two", previous_response_id=first.id)
    assert second.output_text == "Echo: two"
    assert second.previous_response_id == first.id


async def test_an_unknown_response_is_not_found(ai):
    with pytest.raises((openai.NotFoundError, openai.BadRequestError)):
        await ai.responses.create(model="echo_chat", input="x", previous_response_id="resp_none")
