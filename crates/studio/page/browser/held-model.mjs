// A model behind an address, as `compatible:m@ADDRESS` names it, which answers by rules and only when it is let.

import { once } from "node:events";
import { createServer } from "node:http";

/**
 * `rules` have `when`, words of the prompt, and the `json` that is answered. A prompt with the words `held` waits until
 * `release` is called.
 */
export async function heldModel(rules, held) {
  let release = () => undefined;
  const released = new Promise((resolve) => (release = resolve));
  const server = createServer(async (asked, answer) => {
    let text = "";
    for await (const piece of asked) text += piece;
    const prompt = JSON.stringify(JSON.parse(text).messages);
    if (prompt.includes(held)) await released;
    const rule = rules.find(({ when }) => [when].flat().every((words) => prompt.includes(words)));
    if (rule === undefined) return answer.writeHead(400).end("no rule answers");
    const content = JSON.stringify(rule.json);
    const made = { id: "answer", created: 1, model: "m" };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    if (JSON.parse(text).stream === true) {
      answer.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = (delta, finish_reason) => {
        const choices = [{ index: 0, delta, finish_reason }];
        answer.write(`data: ${JSON.stringify({ ...made, object: "chat.completion.chunk", choices })}\n\n`);
      };
      chunk({ role: "assistant", content }, null);
      chunk({}, "stop");
      return answer.end("data: [DONE]\n\n");
    }
    answer.writeHead(200, { "content-type": "application/json" });
    const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }];
    answer.end(JSON.stringify({ ...made, object: "chat.completion", usage, choices }));
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
