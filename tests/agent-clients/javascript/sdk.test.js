// Both lines of LangGraph's JavaScript client against the REST routes and the streams of runs.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe } from "node:test";
import * as first from "langgraph-sdk-1";
import * as second from "langgraph-sdk-2";
import { address, collect, it, refusal, until } from "./cases.js";

const PIPELINE = "024bfc19-7d06-5d5c-92b5-cec6be8620ae";
const DONE = { topic: "a", items: ["plan:a", "work:a", "finish:a"], count: 3 };
const LONG = { n: 1000, delay_ms: 20 };

for (const [line, sdk] of [["sdk 1", first], ["sdk 2", second]]) {
  const client = new sdk.Client({ apiUrl: address, apiKey: null, callerOptions: { maxRetries: 0 } });
  const thread = async (metadata) => (await client.threads.create({ metadata })).thread_id;
  const begun = (thread_id) => until(() => client.threads.getState(thread_id), (state) => state.values.ticks?.length);

  describe(line, { concurrency: 12 }, () => {
    // Assistants.

    it(`${line}: an assistant is made, changed, found and deleted`, async () => {
      const mark = randomUUID();
      const made = await client.assistants.create({ graphId: "pipeline", metadata: { mark }, name: "One" });
      assert.equal(made.version, 1);
      const changed = await client.assistants.update(made.assistant_id, { name: "Two", metadata: { more: 1 } });
      assert.deepEqual([changed.version, changed.name, changed.metadata.mark, changed.metadata.more], [2, "Two", mark, 1]);
      assert.deepEqual((await client.assistants.getVersions(made.assistant_id)).map((one) => one.version), [2, 1]);
      assert.equal((await client.assistants.setLatest(made.assistant_id, 1)).name, "One");
      assert.deepEqual((await client.assistants.search({ metadata: { mark } })).map((one) => one.assistant_id), [made.assistant_id]);
      assert.equal(await client.assistants.count({ metadata: { mark } }), 1);
      await client.assistants.delete(made.assistant_id);
      assert.equal(await refusal(client.assistants.get(made.assistant_id)), 404);
    });

    it(`${line}: a graph has a drawing, schemas and subgraphs`, async () => {
      const drawing = await client.assistants.getGraph("nested", { xray: true });
      assert.ok(drawing.nodes.some((node) => node.id === "child:upper"));
      const schemas = await client.assistants.getSchemas(PIPELINE);
      assert.deepEqual(Object.keys(schemas.state_schema.properties).sort(), ["count", "items", "topic"]);
      const nested = (await client.assistants.search({ graphId: "nested", metadata: { created_by: "system" } }))[0];
      assert.deepEqual(Object.keys(await client.assistants.getSubgraphs(nested.assistant_id)), ["child"]);
    });

    // Threads.

    it(`${line}: a thread is made, changed, found, counted, copied and deleted`, async () => {
      const mark = randomUUID();
      const id = await thread({ mark });
      assert.deepEqual((await client.threads.update(id, { metadata: { more: 1 } })).metadata, { mark, more: 1 });
      assert.deepEqual((await client.threads.search({ metadata: { mark } })).map((one) => one.thread_id), [id]);
      assert.equal(await client.threads.count({ metadata: { mark } }), 1);
      await client.runs.wait(id, "pipeline", { input: { topic: "a" } });
      const copy = await client.threads.copy(id);
      assert.deepEqual((await client.threads.getState(copy.thread_id)).values, DONE);
      await client.threads.delete(id);
      assert.equal(await refusal(client.threads.get(id)), 404);
    });

    it(`${line}: an id that is taken is a conflict or gives the old thread`, async () => {
      const id = await thread();
      assert.equal(await refusal(client.threads.create({ threadId: id })), 409);
      assert.equal((await client.threads.create({ threadId: id, ifExists: "do_nothing" })).thread_id, id);
    });

    it(`${line}: a thread is made from past super-steps`, async () => {
      const made = await client.threads.create({
        graphId: "pipeline",
        supersteps: [
          { updates: [{ values: { topic: "t" }, asNode: "__start__" }] },
          { updates: [{ values: { items: ["plan:t"] }, asNode: "plan" }] },
        ],
      });
      const result = await client.runs.wait(made.thread_id, "pipeline", { input: null });
      assert.deepEqual(result.items, ["plan:t", "work:t", "finish:t"]);
    });

    it(`${line}: states and history are read and edited`, async () => {
      const id = await thread();
      assert.deepEqual((await client.threads.getState(id)).values, {});
      await client.runs.wait(id, "pipeline", { input: { topic: "a" } });
      const history = await client.threads.getHistory(id);
      assert.deepEqual(history.map((one) => one.metadata.step), [3, 2, 1, 0, -1]);
      const old = history[2];
      assert.deepEqual((await client.threads.getState(id, old.checkpoint)).values, old.values);
      assert.deepEqual((await client.threads.getState(id, old.checkpoint.checkpoint_id)).values, old.values);
      const edit = await client.threads.updateState(id, { values: { topic: "b" }, asNode: "plan", checkpoint: old.checkpoint });
      const result = await client.runs.wait(id, "pipeline", { input: null, checkpoint: edit.checkpoint });
      assert.deepEqual(result.items, ["plan:a", "work:b", "finish:b"]);
      const before = await client.threads.getHistory(id, { before: { configurable: { checkpoint_id: old.checkpoint.checkpoint_id } } });
      assert.ok(before.every((one) => one.checkpoint.checkpoint_id < old.checkpoint.checkpoint_id));
    });

    it(`${line}: a subgraph has a state and a history`, async () => {
      const id = (await client.threads.create()).thread_id;
      await client.runs.wait(id, "nested", { input: { text: " hi ", ask: true } });
      const [task] = (await client.threads.getState(id)).tasks;
      assert.equal((await client.threads.getState(id, task.checkpoint)).values.text, "HI");
      const past = await client.threads.getHistory(id, { checkpoint: task.checkpoint, limit: 10 });
      assert.deepEqual(past.map((state) => state.next[0]), ["confirm", "upper", "__start__"]);
    });

    it(`${line}: a state can be patched`, async () => {
      const id = await thread();
      await client.runs.wait(id, "pipeline", { input: { topic: "a" } });
      await client.threads.patchState(id, { seen: true });
    });

    it(`${line}: checkpoints sort by time as the hook sorts them`, async () => {
      const id = await thread();
      await client.runs.wait(id, "ticker", { input: { n: 12, delay_ms: 0 } });
      const ids = (await client.threads.getHistory(id, { limit: 50 })).map((one) => one.checkpoint.checkpoint_id);
      assert.deepEqual([...ids].sort((a, b) => b.localeCompare(a)), ids);
    });

    // Runs.

    it(`${line}: a run is made, joined, read, listed and deleted`, async () => {
      const id = await thread();
      const run = await client.runs.create(id, "pipeline", { input: { topic: "a" }, metadata: { why: "trial" } });
      assert.equal(run.status, "pending");
      assert.deepEqual(await client.runs.join(id, run.run_id), DONE);
      assert.equal((await client.runs.get(id, run.run_id)).status, "success");
      assert.deepEqual((await client.runs.list(id)).map((one) => one.run_id), [run.run_id]);
      assert.deepEqual(await client.runs.list(id, { status: "pending", limit: 1000 }), []);
      await client.runs.delete(id, run.run_id);
      assert.equal(await refusal(client.runs.get(id, run.run_id)), 404);
    });

    it(`${line}: a stateless run is waited for and streamed`, async () => {
      assert.deepEqual(await client.runs.wait(null, "pipeline", { input: { topic: "a" } }), DONE);
      const parts = await collect(client.runs.stream(null, "pipeline", { input: { topic: "a" }, streamMode: "updates" }));
      assert.deepEqual(parts.filter((part) => part.event === "updates").map((part) => Object.keys(part.data)[0]), ["plan", "work", "finish"]);
    });

    it(`${line}: a batch makes a run for each`, async () => {
      const runs = await client.runs.createBatch(["a", "b"].map((topic) => ({ assistantId: "pipeline", input: { topic } })));
      assert.equal(new Set(runs.map((run) => run.run_id)).size, 2);
    });

    it(`${line}: a failure of the graph is raised by wait`, async () => {
      const id = await thread();
      await assert.rejects(client.runs.wait(id, "faulty", { input: { mode: "fail" } }), /boom: mode=fail/);
      const result = await client.runs.wait(id, "faulty", { input: { mode: "fail" }, raiseError: false });
      assert.equal(result.__error__.message, "boom: mode=fail");
    });

    it(`${line}: a run is cancelled, keeping what is done`, async () => {
      const id = await thread();
      const run = await client.runs.create(id, "ticker", { input: LONG });
      await begun(id);
      await client.runs.cancel(id, run.run_id, true);
      assert.equal((await client.runs.get(id, run.run_id)).status, "interrupted");
      assert.ok((await client.threads.getState(id)).values.ticks.length > 0);
    });

    it(`${line}: a run is rolled back, leaving nothing`, async () => {
      const id = await thread();
      const run = await client.runs.create(id, "ticker", { input: LONG });
      await begun(id);
      await client.runs.cancel(id, run.run_id, true, "rollback");
      await until(() => refusal(client.runs.get(id, run.run_id)), (status) => status === 404);
      assert.deepEqual((await client.threads.getState(id)).values, {});
    });

    for (const strategy of ["reject", "enqueue", "interrupt", "rollback"]) {
      it(`${line}: a second run follows the strategy ${strategy}`, async () => {
        const id = await thread();
        const run = await client.runs.create(id, "ticker", { input: strategy === "enqueue" ? { n: 2, delay_ms: 5 } : LONG });
        if (strategy !== "enqueue") await begun(id);
        const next = client.runs.wait(id, "ticker", { input: { n: 3, delay_ms: 0 }, multitaskStrategy: strategy });
        if (strategy === "reject") {
          assert.equal(await refusal(next), 409);
          await client.runs.cancel(id, run.run_id, true);
          return;
        }
        const { ticks } = await next;
        assert.deepEqual(ticks, ticks.map((_, place) => place + 1));
        if (strategy !== "interrupt") assert.equal(ticks.length, 3);
        const status = strategy === "rollback" ? 404 : { enqueue: "success", interrupt: "interrupted" }[strategy];
        const ask = () => client.runs.get(id, run.run_id).then((one) => one.status, (error) => error.status ?? 404);
        await until(ask, (answer) => answer === status);
      });
    }

    // Interrupts.

    it(`${line}: a question is asked and answered`, async () => {
      const id = await thread();
      const asked = await client.runs.wait(id, "approval", { input: { request: "r" } });
      assert.deepEqual(asked.__interrupt__.map((one) => one.value.question), ["Approve?"]);
      const result = await client.runs.wait(id, "approval", { command: { resume: { [asked.__interrupt__[0].id]: "approve" } } });
      assert.deepEqual(result.log, ["draft", "review:approve", "publish"]);
    });

    it(`${line}: a run stops before a node and goes on`, async () => {
      const id = await thread();
      await client.runs.wait(id, "pipeline", { input: { topic: "a" }, interruptBefore: ["work"] });
      assert.deepEqual((await client.threads.getState(id)).next, ["work"]);
      assert.deepEqual(await client.runs.wait(id, "pipeline", { input: null }), DONE);
    });

    // Streams.

    it(`${line}: several modes come in order`, async () => {
      const parts = await collect(client.runs.stream(await thread(), "pipeline", { input: { topic: "a" }, streamMode: ["values", "updates", "custom"] }));
      assert.deepEqual(
        parts.map((part) => part.event).filter((event) => event !== "end"),
        ["metadata", "values", "updates", "values", "custom", "custom", "custom", "updates", "values", "updates", "values"],
      );
    });

    it(`${line}: the client learns the run's id before its first part`, async () => {
      const id = await thread();
      const made = [];
      await collect(client.runs.stream(id, "pipeline", { input: { topic: "a" }, onRunCreated: (one) => made.push(one) }));
      assert.deepEqual(made.map((one) => [one.thread_id, one.run_id]), [[id, (await client.runs.list(id))[0].run_id]]);
    });

    it(`${line}: subgraphs are named in the event`, async () => {
      const parts = await collect(
        client.runs.stream(await thread(), "nested", { input: { text: " hi " }, streamMode: "updates", streamSubgraphs: true }),
      );
      assert.deepEqual(parts.filter((part) => part.event.startsWith("updates|child:")).map((part) => Object.keys(part.data)[0]), ["upper", "confirm"]);
    });

    it(`${line}: messages come as tuples`, async () => {
      const input = { messages: [{ role: "user", content: "hi there" }] };
      const parts = await collect(client.runs.stream(await thread(), "echo_chat", { input, streamMode: "messages-tuple" }));
      const said = parts.filter((part) => part.event === "messages").map((part) => part.data[0].content);
      assert.equal(said.join(""), "Echo: hi there");
    });

    it(`${line}: a stream is taken up after any part`, async () => {
      const id = await thread();
      const run = await client.runs.create(id, "ticker", { input: { n: 5, delay_ms: 5 }, streamMode: ["custom"], streamResumable: true });
      const whole = await collect(client.runs.joinStream(id, run.run_id, { lastEventId: "-1", streamMode: ["custom"] }));
      assert.deepEqual(whole.filter((part) => part.event === "custom").map((part) => part.data.tick), [1, 2, 3, 4, 5]);
      const rest = await collect(client.runs.joinStream(id, run.run_id, { lastEventId: whole[3].id, streamMode: ["custom"] }));
      assert.deepEqual(rest.map((part) => part.data), whole.slice(4).map((part) => part.data));
    });

    it(`${line}: a stateless stream is taken up`, async () => {
      let made;
      const parts = await collect(
        client.runs.stream(null, "ticker", { input: { n: 3, delay_ms: 20 }, streamMode: "custom", streamResumable: true, onRunCreated: (one) => (made = one) }),
      );
      const again = await collect(client.runs.joinStream(null, made.run_id, { lastEventId: parts[1].id, streamMode: "custom" }));
      assert.deepEqual(again.filter((part) => part.event === "custom").map((part) => part.data.tick), [2, 3]);
    });

    it(`${line}: a run ends with its client when asked`, async () => {
      const id = await thread();
      const gone = new AbortController();
      try {
        for await (const part of client.runs.stream(id, "ticker", { input: LONG, streamMode: "custom", onDisconnect: "cancel", signal: gone.signal })) {
          if (part.event === "custom") gone.abort();
        }
      } catch (error) {
        assert.equal(error.name, "AbortError");
      }
      await until(async () => (await client.runs.list(id))[0], (run) => run.status === "interrupted");
    });

    it(`${line}: the stream of a thread goes over its runs`, async () => {
      const id = await thread();
      for (const topic of ["a", "b"]) {
        const run = await client.runs.create(id, "pipeline", { input: { topic }, streamResumable: true });
        await client.runs.join(id, run.run_id);
      }
      const done = [];
      for await (const part of client.threads.joinStream(id, { lastEventId: "-" })) {
        if (part.data.status === "run_done") done.push(part.data.run_id);
        if (done.length === 2) break;
      }
      assert.deepEqual(done, (await client.runs.list(id)).map((run) => run.run_id).reverse());
    });

    // Schedules and the store.

    it(`${line}: a cron is made, found, changed and deleted`, async () => {
      const made = await client.crons.create("pipeline", { schedule: "0 0 1 1 *", input: { topic: "a" } });
      assert.ok((await client.crons.search({ assistantId: PIPELINE, limit: 1000 })).some((one) => one.cron_id === made.cron_id));
      assert.ok((await client.crons.count({ assistantId: PIPELINE })) >= 1);
      assert.equal((await client.crons.update(made.cron_id, { enabled: false })).enabled, false);
      await client.crons.delete(made.cron_id);
      assert.equal(await refusal(client.crons.delete(made.cron_id)), 404);
    });

    it(`${line}: items are kept, found and deleted`, async () => {
      const space = ["cases", randomUUID()];
      await client.store.putItem(space, "k", { n: 1 });
      assert.deepEqual((await client.store.getItem(space, "k")).value, { n: 1 });
      assert.deepEqual((await client.store.searchItems(space, { filter: { n: 1 } })).items.map((item) => item.key), ["k"]);
      assert.deepEqual((await client.store.listNamespaces({ prefix: space })).namespaces, [space]);
      await client.store.deleteItem(space, "k");
      assert.deepEqual((await client.store.searchItems(space)).items, []);
    });

    // What is refused.

    it(`${line}: ids with odd characters are refused without a fault`, async () => {
      for (const id of ["a/b", "a b", "ü", "not-an-id"]) {
        const status = await refusal(client.threads.get(id));
        assert.ok([404, 422].includes(status), `${id}: ${status}`);
      }
    });
  });
}

// What only the first line has.

const client = new first.Client({ apiUrl: address, apiKey: null, callerOptions: { maxRetries: 0 } });

it("sdk 1: threads are pruned", async () => {
  const made = await client.threads.create();
  assert.deepEqual(await client.threads.prune([made.thread_id]), { pruned_count: 1 });
  assert.equal(await refusal(client.threads.get(made.thread_id)), 404);
});

it("sdk 1: several runs are cancelled by their ids", async () => {
  const made = await client.threads.create();
  const run = await client.runs.create(made.thread_id, "ticker", { input: LONG });
  await client.runs.cancelMany({ threadId: made.thread_id, runIds: [run.run_id] });
  await until(() => client.runs.get(made.thread_id, run.run_id), (one) => one.status === "interrupted");
});

it("sdk 1: the reason of a cancel is kept", async () => {
  const made = await client.threads.create();
  const run = await client.runs.create(made.thread_id, "ticker", { input: LONG });
  await until(() => client.threads.getState(made.thread_id), (state) => state.values.ticks?.length);
  await client.runs.cancel(made.thread_id, run.run_id, true, "interrupt", { reason: "taken" });
  assert.match((await client.runs.get(made.thread_id, run.run_id)).cancel_reason, /^taken/);
});
