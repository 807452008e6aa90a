// What the views ask of a saved thread, and what they are answered.

import assert from "node:assert/strict";
import { test } from "node:test";
import { follow, type ThreadEvent } from "../api/events.ts";
import type { JsonObject } from "../api/types.ts";
import { ArchiveApi, UNCHANGED } from "./api.ts";
import { readArchive } from "./read.ts";
import {
  assistant,
  closed,
  drawing,
  event,
  events,
  fileOf,
  inside,
  lines,
  NS,
  run,
  schemas,
  state,
  streamOf,
  THREAD,
  thread,
} from "./sample.ts";

async function open(of: JsonObject[] = lines()): Promise<ArchiveApi> {
  const found = await readArchive(streamOf(fileOf(of), 1000));
  assert.ok("archive" in found);
  return new ArchiveApi(found.archive);
}

const PATH = `/threads/${THREAD}`;

test("the thread, its runs and its states are answered", async () => {
  const api = await open();
  assert.deepEqual(await api.get(PATH), thread);
  assert.deepEqual(await api.get(`${PATH}/runs?limit=1000`), [run]);
  assert.deepEqual(await api.get(`${PATH}/runs?limit=1000&offset=1`), []);
  assert.deepEqual(await api.get(`${PATH}/runs/R`), run);
  assert.deepEqual(await api.get(`${PATH}/state`), state("c3", "c2"));
  assert.deepEqual(await api.get(`${PATH}/state?select=values.messages`), state("c3", "c2"));
  assert.deepEqual(await api.get(`${PATH}/state/c1`), state("c1", null));
  const at = (checkpoint: JsonObject) => api.post(`${PATH}/state/checkpoint`, { checkpoint });
  assert.deepEqual(await at({ checkpoint_ns: NS }), state("d2", null, NS));
  assert.deepEqual(await at({ checkpoint_ns: NS, checkpoint_id: "d1" }), state("d1", null, NS));
  assert.deepEqual(await at({ checkpoint_ns: "", checkpoint_id: "c2" }), state("c2", "c1"));
});

test("the history is answered page by page, with the parts that are asked for", async () => {
  const api = await open();
  const history = async (body: JsonObject) => {
    const found = await api.post<JsonObject[]>(`${PATH}/history`, body);
    return found.map((one) => one.checkpoint_id);
  };
  assert.deepEqual(await history({}), ["c3"]);
  assert.deepEqual(await history({ limit: 2 }), ["c3", "c2"]);
  assert.deepEqual(await history({ limit: 2, before: "c2" }), ["c1"]);
  assert.deepEqual(await history({ limit: 2, before: { configurable: { checkpoint_id: "c3" } } }), ["c2", "c1"]);
  assert.deepEqual(await history({ limit: 9, checkpoint: { checkpoint_ns: NS } }), ["d2", "d1"]);
  assert.deepEqual(await history({ limit: 9, checkpoint: { checkpoint_id: "c2" } }), ["c2"]);
  const [brief] = await api.post<JsonObject[]>(`${PATH}/history`, { limit: 1, select: ["checkpoint_id", "next"] });
  assert.deepEqual(brief, { next: [], checkpoint_id: "c3" });
  const [values] = await api.post<JsonObject[]>(`${PATH}/history`, { limit: 1, select: ["values.at"] });
  assert.deepEqual(values, { values: { at: "c3" } });
  await assert.rejects(api.post(`${PATH}/history`, { metadata: {} }), { status: 400 });
});

test("assistants, graphs and drawings are answered by their ids and by the name of the graph", async () => {
  const api = await open();
  for (const name of ["A", "nested"]) {
    assert.deepEqual(await api.get(`/assistants/${name}`), assistant);
    assert.deepEqual(await api.get(`/assistants/${name}/schemas`), schemas);
    assert.deepEqual(await api.get(`/assistants/${name}/graph`), closed);
    assert.deepEqual(await api.get(`/assistants/${name}/graph?xray=true`), inside);
    assert.deepEqual(await api.get(`/assistants/${name}/drawing`), drawing(false));
    assert.deepEqual(await api.get(`/assistants/${name}/drawing?open=child`), drawing(true));
  }
  assert.deepEqual(await api.post("/assistants/search", { graph_id: "nested", limit: 1 }), [assistant]);
  assert.deepEqual(await api.post("/assistants/search", { graph_id: "other", limit: 1 }), []);
  const message = "The saved export has no drawing with just these subgraphs open.";
  await assert.rejects(api.get("/assistants/nested/drawing?open=other"), { status: 400, message });
});

test("what the server did not give is refused as it refused it", async () => {
  const of = lines().filter((line) => line.kind !== "drawing" && line.kind !== "state");
  const refused = { kind: "refused", status: 404, reason: "Not Found" };
  of.push({ ...refused, what: "drawing", of: "nested" });
  of.push({ ...refused, what: "history", of: "", status: 400, reason: "is not served here" });
  const api = await open(of);
  await assert.rejects(api.get("/assistants/nested/drawing"), { status: 404, message: "Not Found" });
  await assert.rejects(api.post(`${PATH}/history`, { limit: 1 }), { status: 400, message: "is not served here" });
});

test("a thread on which nothing ran has no state", async () => {
  const api = await open(lines().filter((line) => line.kind !== "state" && line.kind !== "event"));
  assert.deepEqual(await api.post(`${PATH}/history`, { limit: 5 }), []);
  assert.equal((await api.get<JsonObject>(`${PATH}/state`)).checkpoint, null);
});

test("what a file lacks that was cut off is not said to have never been", async () => {
  const found = await readArchive(streamOf(fileOf(lines().slice(0, 3), false), 1000));
  assert.ok("archive" in found);
  const api = new ArchiveApi(found.archive);
  const error = { status: 404, message: "The saved export is incomplete: these states are not in it." };
  await assert.rejects(api.get(`${PATH}/state`), error);
  await assert.rejects(api.post(`${PATH}/history`, { limit: 5 }), error);
  await assert.rejects(api.post("/assistants/search", { graph_id: "nested" }), { status: 404 });
});

test("what is not in the file is said so", async () => {
  const api = await open();
  const other = `The saved export is of the thread ${THREAD}.`;
  await assert.rejects(api.get("/threads/other"), { status: 404, message: other });
  const missing = "The saved export does not have the checkpoint c9.";
  await assert.rejects(api.get(`${PATH}/state/c9`), { status: 404, message: missing });
  await assert.rejects(api.post(`${PATH}/state/checkpoint`, { checkpoint: { checkpoint_ns: "x:y" } }), { status: 404 });
  await assert.rejects(api.get(`${PATH}/artifacts/report.md`), { status: 404 });
  const more = "A saved export has its thread only: this is not in it.";
  await assert.rejects(api.post("/runs/search", {}), { status: 404, message: more });
});

test("whatever would change something is refused", async () => {
  const api = await open();
  for (const [method, path] of [
    ["POST", `${PATH}/runs`],
    ["POST", `${PATH}/state`],
    ["POST", `${PATH}/copy`],
    ["POST", `${PATH}/runs/R/cancel?action=interrupt`],
    ["DELETE", PATH],
    ["PATCH", PATH],
    ["PUT", "/store/items"],
  ] as const) {
    await assert.rejects(api.send(method, path, {}), { status: 405, message: UNCHANGED });
  }
});

/** The events of some channels, followed until nothing more comes. */
function followed(api: ArchiveApi, channels: string[], since?: number): Promise<ThreadEvent[]> {
  return new Promise((resolve, reject) => {
    const all: ThreadEvent[] = [];
    const stop = follow(api, {
      thread: THREAD,
      channels,
      ...(since === undefined ? {} : { since }),
      onEvents: (events) => all.push(...events),
      onLink: (link) => reject(new Error(`a saved export has no link that is ${link.state}`)),
      onRefused: reject,
    });
    setTimeout(() => (stop(), resolve(all)), 1200);
  });
}

test("the events are a stream that ends, and is not opened again", async () => {
  const api = await open();
  let opened = 0;
  const send = api.send.bind(api);
  api.send = async (...asked) => {
    opened += 1;
    return send(...asked);
  };
  assert.deepEqual(await followed(api, ["lifecycle", "checkpoints", "input", "custom", "trace"]), events);
  assert.equal(opened, 1);
  assert.deepEqual(await followed(api, ["input"]), [events[2]]);
  assert.deepEqual(await followed(api, ["lifecycle"], 1), [events[5]]);
  assert.deepEqual(await followed(api, ["tasks"]), []);
});

test("many events come all", async () => {
  const many = Array.from({ length: 25_000 }, (_, at) => event(at + 1, at % 2 === 0 ? "custom" : "tasks", { at }));
  const of = [...lines().filter((line) => line.kind !== "event"), ...many.map((event) => ({ kind: "event", event }))];
  const found = await followed(await open(of), ["custom"]);
  assert.equal(found.length, 12_500);
  assert.equal(found.at(-1)?.seq, 24_999);
});
