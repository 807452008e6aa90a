// The event streaming protocol through the JavaScript client, over both transports.

import assert from "node:assert/strict";
import { describe } from "node:test";
import { Client } from "langgraph-sdk-1";
import { address, collect, it, until } from "./cases.js";

const client = new Client({ apiUrl: address, apiKey: null, callerOptions: { maxRetries: 0 } });
const HI = { messages: [{ role: "user", content: "hi there" }] };

// Runs a body with a stream of a new thread, and closes the stream.
async function streaming(assistantId, transport, body) {
  const thread = client.threads.stream({ assistantId, transport });
  try {
    return await body(thread);
  } finally {
    await thread.close();
  }
}

// A run, and the events of channels until it has ended. The client opens a stream for what is subscribed to, and a second
// one for what comes later, and gives the end that the first one tells of to all: so what must be seen whole is
// subscribed to before the run is started.
async function runSeen(thread, channels, input) {
  const events = thread.subscribe([...channels, "lifecycle"]);
  await thread.run.start({ input });
  const seen = [];
  for await (const event of await events) {
    seen.push(event);
    const ended = ["completed", "failed", "interrupted"].includes(event.params.data.event);
    if (event.method === "lifecycle" && !event.params.namespace.length && ended) break;
  }
  return seen;
}

for (const transport of ["sse", "websocket"]) {
  describe(`events over ${transport}`, { concurrency: 8 }, () => {
    it(`events over ${transport}: the output of a run is given`, () =>
      streaming("pipeline", transport, async (thread) => {
        assert.ok((await thread.run.start({ input: { topic: "a" } })).run_id);
        assert.equal((await thread.output).count, 3);
      }));

    it(`events over ${transport}: values come after each super-step`, () =>
      streaming("pipeline", transport, async (thread) => {
        const seen = await runSeen(thread, ["values"], { topic: "a" });
        const values = seen.filter((event) => event.method === "values");
        assert.deepEqual(values.map((event) => event.params.data.items.length), [0, 1, 2, 3]);
      }));

    it(`events over ${transport}: a message comes in deltas`, () =>
      streaming("echo_chat", transport, async (thread) => {
        const messages = thread.messages;
        await thread.run.start({ input: HI });
        const texts = [];
        for await (const message of messages) {
          texts.push((await collect(message.text)).join(""));
          break;
        }
        assert.deepEqual(texts, ["Echo: hi there"]);
      }));

    it(`events over ${transport}: a question is asked and answered`, () =>
      streaming("approval", transport, async (thread) => {
        await thread.run.start({ input: { request: "r" } });
        await until(() => thread.interrupts, (all) => all.length === 1);
        const [asked] = thread.interrupts;
        assert.deepEqual(asked.payload, { question: "Approve?", draft: "Draft for r" });
        await thread.input.respond({ namespace: asked.namespace, interrupt_id: asked.interruptId, response: "approve" });
        const state = await until(() => client.threads.getState(thread.threadId), (one) => one.next.length === 0);
        assert.deepEqual(state.values.log, ["draft", "review:approve", "publish"]);
      }));

    it(`events over ${transport}: a subgraph is discovered`, () =>
      streaming("nested", transport, async (thread) => {
        const subgraphs = thread.subgraphs;
        await thread.run.start({ input: { text: " hi " } });
        const found = [];
        for await (const subgraph of subgraphs) {
          found.push(subgraph.name);
          break;
        }
        assert.deepEqual(found, ["child"]);
      }));

    for (const channel of ["updates", "custom", "tasks", "checkpoints"]) {
      it(`events over ${transport}: the channel ${channel} delivers`, () =>
        streaming("pipeline", transport, async (thread) => {
          const seen = await runSeen(thread, [channel], { topic: "a" });
          assert.ok(seen.some((event) => event.method === channel));
        }));
    }

    it(`events over ${transport}: the state is read, listed and forked by commands`, () =>
      streaming("pipeline", transport, async (thread) => {
        await thread.run.start({ input: { topic: "a" } });
        await thread.output;
        const { values, checkpoint } = await thread.state.get({ namespace: [] });
        assert.equal(values.count, 3);
        const { checkpoints } = await thread.state.listCheckpoints({ limit: 10 });
        assert.deepEqual([checkpoints[0].id, checkpoints.length], [checkpoint.id, 5]);
        const fork = await thread.state.fork({ checkpoint_id: checkpoints[2].id });
        assert.deepEqual((await client.runs.join(thread.threadId, fork.run_id)).items, ["plan:a", "work:a", "finish:a"]);
      }));

    it(`events over ${transport}: a message is put into a thread`, () =>
      streaming("echo_chat", transport, async (thread) => {
        await thread.run.start({ input: HI });
        await thread.output;
        await thread.input.inject({ namespace: [], message: { role: "user", content: "more" } });
        const state = await until(() => client.threads.getState(thread.threadId), (one) => one.values.messages.length > 2);
        assert.equal(state.values.messages[2].content, "more");
      }));

    it(`events over ${transport}: an unknown question is refused`, () =>
      streaming("approval", transport, async (thread) => {
        await thread.run.start({ input: { request: "r" } });
        await until(() => thread.interrupts, (all) => all.length === 1);
        const wrong = thread.input.respond({ namespace: [], interrupt_id: "0".repeat(32), response: "x" });
        await assert.rejects(wrong, (error) => error.code === "no_such_interrupt" || /no_such_interrupt/.test(String(error)));
      }));
  });
}
