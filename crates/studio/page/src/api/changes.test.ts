// The stream of changes, with a stand-in for the server.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { type ChangesLink, type Kind, subscribe } from "./changes.ts";
import { settled, StandIn, Tab } from "./stand-in.ts";

let tab: Tab;
let leave: (() => void)[] = [];
beforeEach(() => {
  for (const one of leave.splice(0)) one();
  tab = new Tab();
});

/** A subscriber that counts what it is told. */
function subscriber(api: StandIn, ...of: Kind[]) {
  const heard = { changes: 0, links: [] as ChangesLink[], leave: () => {} };
  heard.leave = subscribe(api, {
    of,
    onChanged: () => (heard.changes += 1),
    onLink: (link) => heard.links.push(link),
  });
  leave.push(heard.leave);
  return heard;
}

test("all views of a tab share one stream, and each hears of its own kinds", async () => {
  const api = new StandIn();
  const [runs, store] = [subscriber(api, "runs", "threads"), subscriber(api, "store")];
  await settled();
  assert.equal(api.asked, 1);
  api.tell("runs", "threads");
  await settled();
  api.tell("store", "something new");
  await settled();
  assert.deepEqual([runs.changes, store.changes], [1, 1]);
  assert.equal(runs.links.at(-1)?.state, "live");
});

test("the stream outlives a view for the next one, and else is closed", async () => {
  const api = new StandIn();
  const first = subscriber(api, "runs");
  await settled();
  first.leave();
  await tab.pass(500);
  const second = subscriber(api, "crons");
  await tab.pass(5000);
  assert.deepEqual([api.asked, api.streams.size], [1, 1]);
  assert.equal(second.links.at(-1)?.state, "live");
  second.leave();
  await tab.pass(1000);
  assert.equal(api.streams.size, 0);
});

test("while nobody sees the tab there is no stream", async () => {
  const api = new StandIn();
  subscriber(api, "runs");
  await settled();
  tab.see(false);
  await tab.pass(60_000);
  assert.deepEqual([api.asked, api.streams.size], [1, 0]);
  tab.see(true);
  await settled();
  assert.deepEqual([api.asked, api.streams.size], [2, 1]);
});

test("a lost stream is asked for again, less and less often", async () => {
  const api = new StandIn();
  const runs = subscriber(api, "runs");
  await settled();
  api.leave();
  await settled();
  assert.deepEqual(runs.links.at(-1), { state: "lost", reason: "The server ended the stream." });
  const times = [];
  for (let at = 0; at <= 40_000; at += 500) {
    const before = api.asked;
    await tab.pass(500);
    if (api.asked > before) times.push(at + 500);
  }
  assert.deepEqual(times, [500, 1500, 3500, 7500, 15_500, 25_500, 35_500]);
  api.refusal = undefined;
  await tab.pass(10_000);
  assert.equal(runs.links.at(-1)?.state, "live");
});

test("an older server is asked once a view, and the page knows why nothing is told", async () => {
  const api = new StandIn();
  api.refusal = 404;
  const runs = subscriber(api, "runs");
  await tab.pass(60_000);
  assert.equal(api.asked, 1);
  const link = runs.links.at(-1);
  assert.ok(link?.state === "untold" && /older than this page/.test(link.reason));
  subscriber(api, "crons");
  await settled();
  assert.equal(api.asked, 2);
});

test("another key has a stream of its own, and the one before is closed", async () => {
  const [before, after] = [new StandIn(), new StandIn()];
  subscriber(before, "runs");
  await settled();
  subscriber(after, "runs");
  await settled();
  assert.deepEqual([before.streams.size, after.streams.size], [0, 1]);
});
