// The older hook `useStream`, inside both lines of the SDK: what chat pages of today use.

import assert from "node:assert/strict";
import { Client } from "langgraph-sdk-1";
import { useStream as first } from "langgraph-sdk-1/react";
import { useStream as second } from "langgraph-sdk-2/react";
import { address, it, until } from "./cases.js";
import { mounted } from "./page.js";

const client = new Client({ apiUrl: address, apiKey: null });
const says = (content) => ({ messages: [{ type: "human", content }] });

for (const [line, hook] of [["hook 1", first], ["hook 2", second]]) {
  const chat = (graph, body, more = {}) => {
    const held = {};
    const options = { assistantId: graph, messagesKey: "messages", fetchStateHistory: true, onThreadId: (id) => (held.thread = id), ...more };
    return mounted(hook, options, (last, place) => body(last, place, held));
  };

  it(`${line}: a chat is shown as it is answered, and goes on`, () =>
    chat("echo_chat", async (last, place, held) => {
      last().submit(says("hi there"), { streamMode: ["values", "messages-tuple", "custom"] });
      await until(() => place.textContent, (text) => text === "hi there|Echo: hi there");
      await until(last, (stream) => !stream.isLoading);
      assert.equal(last().error, undefined);
      assert.deepEqual((await client.threads.getState(held.thread)).values.messages.map((one) => one.type), ["human", "ai"]);
      last().submit(says("again"));
      await until(() => place.textContent, (text) => text === "hi there|Echo: hi there|again|Echo: again");
    }));

  it(`${line}: a question is shown and answered`, () =>
    chat("approval", async (last) => {
      last().submit({ request: "r" });
      const { interrupt } = await until(last, (stream) => stream.interrupt && !stream.isLoading);
      assert.deepEqual(interrupt.value, { question: "Approve?", draft: "Draft for r" });
      last().submit(undefined, { command: { resume: "approve" } });
      await until(last, (stream) => stream.values.log?.length === 3 && !stream.isLoading);
      assert.deepEqual(last().values.log, ["draft", "review:approve", "publish"]);
      assert.equal(last().interrupt, undefined);
    }));

  it(`${line}: a run is stopped`, () =>
    chat("ticker", async (last, _place, held) => {
      last().submit({ n: 1000, delay_ms: 20 });
      await until(last, (stream) => stream.values.ticks?.length > 1);
      await last().stop();
      await until(async () => (await client.runs.list(held.thread))[0], (run) => run.status === "interrupted");
    }));

  it(`${line}: a failure is shown`, () =>
    chat("faulty", async (last) => {
      last().submit({ mode: "fail" });
      const { error } = await until(last, (stream) => stream.error);
      assert.match(String(error.message ?? error), /boom: mode=fail/);
    }));

  it(`${line}: an answer is given once more, on a branch of its own`, () =>
    chat("echo_chat", async (last, place, held) => {
      last().submit(says("one"));
      await until(() => place.textContent, (text) => text === "one|Echo: one");
      const told = () => (last().isLoading ? undefined : last().getMessagesMetadata(last().messages[1]));
      const { firstSeenState } = await until(told, (one) => one?.firstSeenState?.parent_checkpoint);
      const before = (await client.runs.list(held.thread)).length;
      last().submit(undefined, { checkpoint: firstSeenState.parent_checkpoint });
      await until(async () => (await client.runs.list(held.thread)).filter((run) => run.status === "success").length, (runs) => runs === before + 1);
      const { branchOptions } = await until(told, (one) => one?.branchOptions?.length === 2);
      assert.equal(new Set(branchOptions).size, 2);
      await until(() => place.textContent, (text) => text === "one|Echo: one");
    }));
}
