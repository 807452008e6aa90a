// The hook `useStream` of @langchain/react in a page without a browser.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { useStream } from "@langchain/react";
import { Client } from "langgraph-sdk-1";
import { address, it, until } from "./cases.js";
import { mounted as mountedWith } from "./page.js";

const client = new Client({ apiUrl: address, apiKey: null });
const mounted = (options, body) => mountedWith(useStream, options, body);

for (const transport of ["sse", "websocket"]) {
  it(`react over ${transport}: a chat is shown as it is answered`, () =>
    mounted({ assistantId: "echo_chat", transport }, async (last, place) => {
      const lengths = new Set();
      const watch = setInterval(() => lengths.add(place.textContent.length), 1);
      await last().submit({ messages: [{ type: "human", content: "hi there" }] });
      await until(last, (stream) => !stream.isLoading && stream.messages.length === 2);
      await until(() => place.textContent, (text) => text === "hi there|Echo: hi there");
      clearInterval(watch);
      assert.ok(last().threadId);
      assert.equal(last().error, undefined);
      await last().submit({ messages: [{ type: "human", content: "again" }] });
      await until(() => place.textContent, (text) => text === "hi there|Echo: hi there|again|Echo: again");
    }));

  it(`react over ${transport}: a question is shown and answered`, () =>
    mounted({ assistantId: "approval", transport }, async (last) => {
      await last().submit({ request: "r" });
      const { interrupt } = await until(last, (stream) => stream.interrupt);
      assert.deepEqual(interrupt.value, { question: "Approve?", draft: "Draft for r" });
      await last().respond("approve");
      await until(last, (stream) => stream.values.log?.length === 3);
      assert.deepEqual(last().values.log, ["draft", "review:approve", "publish"]);
      await until(last, (stream) => !stream.isLoading && stream.interrupts.length === 0);
    }));

  it(`react over ${transport}: several questions are answered together`, () =>
    mounted({ assistantId: "fanout", transport }, async (last) => {
      await last().submit({ names: ["a", "b"], ask: true });
      await until(last, (stream) => stream.interrupts.length === 2);
      const answers = Object.fromEntries(last().interrupts.map((one) => [one.id, `yes ${one.value.name}`]));
      await last().respondAll(answers);
      await until(last, (stream) => stream.values.results?.length === 3);
      assert.deepEqual(last().values.results, ["a:yes a", "b:yes b", "total:2"]);
    }));

  it(`react over ${transport}: a run is stopped`, () =>
    mounted({ assistantId: "ticker", transport }, async (last) => {
      last().submit({ n: 1000, delay_ms: 20 });
      await until(last, (stream) => stream.values.ticks?.length > 1);
      await last().stop();
      const [run] = await client.runs.list(last().threadId);
      await until(() => client.runs.get(last().threadId, run.run_id), (one) => one.status === "interrupted");
    }));

  it(`react over ${transport}: a failure is shown`, () =>
    mounted({ assistantId: "faulty", transport }, async (last) => {
      await last().submit({ mode: "fail" }).catch(() => {});
      const { error } = await until(last, (stream) => stream.error);
      assert.match(String(error.message ?? error), /boom: mode=fail/);
    }));

  it(`react over ${transport}: what happens in a subgraph is not taken for the graph's own values`, () =>
    mounted({ assistantId: "nested", transport }, async (last) => {
      await last().submit({ text: " hi " });
      await until(last, (stream) => stream.values.text === "<HI>");
      assert.deepEqual(last().values.trail, ["prepare", "child.upper", "child.confirm", "wrap"]);
    }));
}

it("react: a thread that has a past is shown", async () => {
  const thread = await client.threads.create({ threadId: randomUUID() });
  await client.runs.wait(thread.thread_id, "echo_chat", { input: { messages: [{ role: "user", content: "old" }] } });
  await mounted({ assistantId: "echo_chat", threadId: thread.thread_id }, async (last, place) => {
    await until(() => place.textContent, (text) => text === "old|Echo: old");
    await last().submit({ messages: [{ type: "human", content: "new" }] });
    await until(() => place.textContent, (text) => text === "old|Echo: old|new|Echo: new");
  });
});

it("react: an open question of a thread that has a past is shown and answered", async () => {
  const thread = await client.threads.create();
  await client.runs.wait(thread.thread_id, "approval", { input: { request: "r" } });
  await mounted({ assistantId: "approval", threadId: thread.thread_id }, async (last) => {
    const { interrupt } = await until(last, (stream) => stream.interrupt);
    assert.equal(interrupt.value.question, "Approve?");
    await last().respond("approve", { interruptId: interrupt.id });
    await until(last, (stream) => stream.values.log?.length === 3);
  });
});

it("react: a run forks from an older checkpoint", () =>
  mounted({ assistantId: "echo_chat" }, async (last, place) => {
    await last().submit({ messages: [{ type: "human", content: "one" }] });
    await until(() => place.textContent, (text) => text === "one|Echo: one");
    const history = await client.threads.getHistory(last().threadId);
    const old = history.find((state) => state.metadata.source === "input") ?? history.at(-1);
    await last().submit({ messages: [{ type: "human", content: "two" }] }, { forkFrom: old.checkpoint.checkpoint_id });
    await until(async () => (await client.threads.getState(last().threadId)).values.messages?.at(-1)?.content, (content) => JSON.stringify(content)?.includes("Echo: two"));
  }));
