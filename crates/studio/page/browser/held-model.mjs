// A model behind an address, as `compatible:m@ADDRESS` names it, which answers by rules and only when it is let.

import { once } from "node:events";
import { createServer } from "node:http";

/**
 * `rules` are those of a script (see `scripted` in crates/llm); they may have `when`, `unless`, and one of `reply`, `json`
 * and `tool_calls`. A prompt with all of the words `held` waits until `release` is called. Where the answer is a `reply`
 * that is streamed, its first half is said before that.
 */
export async function heldModel(rules, held) {
  let release = () => undefined;
  const released = new Promise((resolve) => (release = resolve));
  const server = createServer(async (asked, answer) => {
    let text = "";
    for await (const piece of asked) text += piece;
    const { messages, stream } = JSON.parse(text);
    const prompt = rendered(messages);
    const waits = all(held, prompt);
    const rule = rules.find(({ when, unless }) => all(when, prompt) && !texts(unless).some((one) => prompt.includes(one)));
    if (rule === undefined || rule.error !== undefined) return answer.writeHead(400).end("no rule answers");
    const inHalves = stream === true && waits && rule.reply !== undefined;
    if (waits && !inHalves) await released;
    if (stream !== true) {
      answer.writeHead(200, { "content-type": "application/json" });
      const choices = [{ index: 0, finish_reason: finish(rule), message: messageOf(rule) }];
      return answer.end(JSON.stringify({ ...MADE, object: "chat.completion", usage: USAGE, choices }));
    }
    answer.writeHead(200, { "content-type": "text/event-stream" });
    const say = (delta, finish_reason = null) => {
      const choices = [{ index: 0, delta, finish_reason }];
      answer.write(`data: ${JSON.stringify({ ...MADE, object: "chat.completion.chunk", choices })}\n\n`);
    };
    const message = messageOf(rule);
    const half = inHalves ? Math.floor(message.content.length / 2) : 0;
    if (inHalves) {
      say({ role: "assistant", content: message.content.slice(0, half) });
      await released;
    }
    say({ ...message, content: message.content.slice(half) });
    say({}, finish(rule));
    answer.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    model: `compatible:m@http://127.0.0.1:${server.address().port}/v1`,
    release,
    stop() {
      release();
      server.close();
      server.closeAllConnections();
    },
  };
}

const MADE = { id: "answer", created: 1, model: "m" };
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const texts = (one) => (one === undefined ? [] : [one].flat());
const all = (words, prompt) => texts(words).every((one) => prompt.includes(one));

/** The texts of messages as rules see them. */
function rendered(messages) {
  const of = ({ role, content }) => {
    const text = Array.isArray(content) ? content.map((part) => part.text ?? "").join("") : (content ?? "");
    return `${role}: ${role === "tool" ? `[result ${text}]` : text}\n`;
  };
  return messages.map(of).join("");
}

const finish = (rule) => (rule.tool_calls === undefined ? "stop" : "tool_calls");

function messageOf({ reply, json, tool_calls }) {
  const content = reply ?? (json === undefined ? "" : JSON.stringify(json));
  const calls = tool_calls?.map(({ id, name, arguments: given }, index) => {
    return { index, id, type: "function", function: { name, arguments: JSON.stringify(given) } };
  });
  return { role: "assistant", content, ...(calls === undefined ? {} : { tool_calls: calls }) };
}
