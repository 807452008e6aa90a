// Messages while they are written: text, reasoning and calls of tools come in blocks.

import type { JsonObject } from "../../api/types.ts";
import { isObject } from "../../parts/json-values.ts";
import type { AskedCall, Spoken, Task } from "../model.ts";
import type { Here, Known } from "./known.ts";
import { errorText, number, object, text, textOr, Unexpected } from "./read.ts";

export function messageEvent(known: Known, here: Here, data: JsonObject): void {
  const event = text(data, "event");
  if (event === "message-start") {
    start(known, here, data);
    return;
  }
  const id = textOr(data, "message_id", undefined) ?? textOr(data, "run_id", undefined);
  const writing = id === undefined ? undefined : known.writing.get(id);
  if (writing === undefined) throw new Unexpected("it is of a message that has not begun");
  const { message, task } = writing;
  switch (event) {
    case "content-block-start":
      blockStart(message, number(data, "index"), object(data, "content"));
      break;
    case "content-block-delta":
      blockDelta(message, number(data, "index"), object(data, "delta"));
      break;
    case "content-block-finish":
      blockFinish(message, number(data, "index"), object(data, "content"));
      break;
    case "message-finish":
      if (isObject(data.usage)) message.usage = data.usage;
      message.done = true;
      known.writing.delete(message.id);
      break;
    case "error":
      message.error = errorText(data.message) ?? "The message was not written to its end.";
      message.done = true;
      known.writing.delete(message.id);
      break;
    default:
      throw new Unexpected(`this page does not know the event \`${event}\` of a message`);
  }
  message.version += 1;
  if (task !== undefined) task.version += 1;
}

function start(known: Known, here: Here, data: JsonObject): void {
  const message: Spoken = {
    id: text(data, "id"),
    role: textOr(data, "role", "ai"),
    text: "",
    reasoning: "",
    calls: [],
    done: false,
    error: undefined,
    usage: undefined,
    time: here.time,
    version: 0,
  };
  const task = known.teller(here);
  known.writing.set(message.id, { message, task });
  listFor(known, here, task).push(message);
  if (task !== undefined) task.version += 1;
}

function listFor(known: Known, here: Here, task: Task | undefined): Spoken[] {
  if (task !== undefined) return task.messages;
  return here.node === undefined ? known.model.messages : known.sharedOf(here, here.node).messages;
}

/** The calls of a message by the index of their block; a block of another kind has none. */
const calls = new WeakMap<Spoken, Map<number, AskedCall>>();

function blockStart(message: Spoken, index: number, content: JsonObject): void {
  const type = text(content, "type");
  if (type === "text") {
    message.text += textOr(content, "text", "");
  } else if (type === "reasoning") {
    if (message.reasoning !== "") message.reasoning += "\n\n";
    message.reasoning += textOr(content, "reasoning", "");
  } else if (type === "tool_call_chunk" || type === "tool_call") {
    callAt(message, index, content);
  }
}

function callAt(message: Spoken, index: number, content: JsonObject): AskedCall {
  let ofMessage = calls.get(message);
  if (ofMessage === undefined) {
    ofMessage = new Map();
    calls.set(message, ofMessage);
  }
  let call = ofMessage.get(index);
  if (call === undefined) {
    call = { id: undefined, name: undefined, args: "", error: undefined };
    ofMessage.set(index, call);
    message.calls.push(call);
  }
  call.id ??= textOr(content, "id", undefined);
  call.name ??= textOr(content, "name", undefined);
  return call;
}

function blockDelta(message: Spoken, index: number, delta: JsonObject): void {
  const type = text(delta, "type");
  if (type === "text-delta") message.text += text(delta, "text");
  else if (type === "reasoning-delta") message.reasoning += text(delta, "reasoning");
  else if (type === "tool-call-delta") callAt(message, index, delta).args += text(delta, "args");
  else throw new Unexpected(`this page does not know a block's change \`${type}\``);
}

function blockFinish(message: Spoken, index: number, content: JsonObject): void {
  const type = text(content, "type");
  if (type !== "tool_call" && type !== "invalid_tool_call") return;
  const call = callAt(message, index, content);
  call.args = typeof content.args === "string" ? content.args : JSON.stringify(content.args ?? {});
  if (type === "invalid_tool_call") call.error = textOr(content, "error", "The arguments cannot be read.");
}
