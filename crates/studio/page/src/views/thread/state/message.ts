// A message of a conversation, read from the forms in which graphs keep it.

import type { Json, JsonObject } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";

export interface Message {
  /** Who speaks, in words. */
  role: string;
  kind: "user" | "assistant" | "tool" | "system" | "other";
  name: string | undefined;
  id: string | undefined;
  parts: ({ is: "text" | "reasoning"; text: string } | { is: "other"; value: Json })[];
  calls: { name: string; id: string | undefined; args: Json }[];
  /** What a message of a tool answers. */
  answers: string | undefined;
  /** Tokens, where the message says them. */
  usage: string | undefined;
}

const ROLES: Record<string, [Message["kind"], string]> = {
  human: ["user", "User"],
  user: ["user", "User"],
  ai: ["assistant", "Assistant"],
  assistant: ["assistant", "Assistant"],
  AIMessageChunk: ["assistant", "Assistant"],
  tool: ["tool", "Tool"],
  function: ["tool", "Tool"],
  system: ["system", "System"],
  developer: ["system", "Developer"],
};

const text = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined);

export function readMessage(value: JsonObject): Message {
  const word = text(value.type) ?? text(value.role) ?? "";
  const [kind, role] = (Object.hasOwn(ROLES, word) ? ROLES[word] : undefined) ?? ["other" as const, word];
  const more = isObject(value.additional_kwargs) ? value.additional_kwargs : {};
  const message: Message = {
    role,
    kind,
    name: text(value.name),
    id: text(value.id),
    parts: [],
    calls: [],
    answers: text(value.tool_call_id),
    usage: usage(value.usage_metadata ?? value.usage),
  };
  const reasoning = text(more.reasoning_content) ?? text(value.reasoning_content) ?? text(value.reasoning);
  if (reasoning) message.parts.push({ is: "reasoning", text: reasoning });
  const blocks = Array.isArray(value.content) ? value.content : [value.content ?? null];
  for (const block of blocks) readBlock(message, block);
  const calls = value.tool_calls ?? more.tool_calls;
  if (Array.isArray(calls) && calls.length > 0) message.calls = calls.map(call);
  return message;
}

function readBlock(message: Message, block: Json): void {
  if (typeof block === "string") {
    if (block !== "") message.parts.push({ is: "text", text: block });
    return;
  }
  if (!isObject(block)) {
    if (block !== null) message.parts.push({ is: "other", value: block });
    return;
  }
  const spoken = text(block.text);
  switch (block.type) {
    case "text":
    case "input_text":
    case "output_text":
      if (spoken !== undefined) return void message.parts.push({ is: "text", text: spoken });
      break;
    case "reasoning":
    case "thinking": {
      const thought = text(block.reasoning) ?? text(block.thinking) ?? spoken;
      if (thought !== undefined) return void message.parts.push({ is: "reasoning", text: thought });
      break;
    }
    case "tool_use":
    case "tool_call":
      return void message.calls.push(call(block));
  }
  message.parts.push({ is: "other", value: block });
}

function call(value: Json): Message["calls"][number] {
  if (!isObject(value)) return { name: "?", id: undefined, args: value };
  const inner = isObject(value.function) ? value.function : value;
  const args = parsed(inner.args ?? inner.input ?? inner.arguments ?? null);
  return { name: text(inner.name) ?? "?", id: text(value.id), args };
}

/** Arguments that are JSON in a text. */
function parsed(value: Json): Json {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}

function usage(value: Json | undefined): string | undefined {
  if (!isObject(value)) return undefined;
  const [given, taken] = [value.input_tokens ?? value.prompt_tokens, value.output_tokens ?? value.completion_tokens];
  if (typeof given !== "number" || typeof taken !== "number") return undefined;
  return `${given} tokens in, ${taken} out`;
}
