// When what is shown is read again, with a stand-in for the server.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { ChangesLink } from "./changes.ts";
import { ApiError } from "./http.ts";
import { settled, StandIn, Tab } from "./stand-in.ts";
import { watch, type Watching } from "./watch.ts";

let tab: Tab;
let watching: Watching | undefined;
beforeEach(() => {
  watching?.stop();
  tab = new Tab();
});

const ALL = ["runs", "threads", "assistants", "crons", "store"];

/** A view that writes down when it is read, in milliseconds from its beginning. A reading takes `took`. */
function view(api: StandIn, took = 0) {
  const began = Date.now();
  const seen = { readings: [] as number[], links: [] as (ChangesLink | undefined)[], refused: 0, fails: undefined as unknown };
  watching = watch(api, {
    of: ["runs"],
    read: async () => {
      seen.readings.push(Date.now() - began);
      if (took > 0) await new Promise((resolve) => setTimeout(resolve, took));
      if (seen.fails !== undefined) throw seen.fails;
      if (api.refusal === 0) throw new ApiError(0, "away");
    },
    onLink: (link) => seen.links.push(link),
    onRefused: () => (seen.refused += 1),
  });
  return seen;
}

/** A view whose stream has opened at once. */
async function opened(api: StandIn, took = 0) {
  const seen = view(api, took);
  await settled();
  api.tell(...ALL);
  await tab.pass(0);
  return seen;
}

test("where the stream opens late, the first reading does not wait for it", async () => {
  const api = new StandIn();
  const seen = view(api);
  await tab.pass(250);
  api.tell(...ALL);
  await tab.pass(10_000);
  assert.deepEqual(seen.readings, [200, 500]);
});

test("it is read at once, when it changes, and not while nothing changes", async () => {
  const api = new StandIn();
  const seen = await opened(api);
  await tab.pass(10_000);
  api.tell("threads");
  await tab.pass(10_000);
  assert.deepEqual(seen.readings, [0]);
  api.tell("runs");
  await tab.pass(10_000);
  assert.deepEqual(seen.readings, [0, 20_000]);
  assert.equal(seen.links.at(-1)?.state, "live");
});

test("many changes lead to few readings, and the last one is not missed", async () => {
  const api = new StandIn();
  const seen = await opened(api);
  for (let at = 0; at < 1000; at += 100) {
    api.tell("runs");
    await tab.pass(100);
  }
  await tab.pass(5000);
  assert.deepEqual(seen.readings, [0, 300, 600, 900, 1200]);
});

test("where a reading takes long, the next one comes later", async () => {
  const api = new StandIn();
  const seen = await opened(api, 500);
  await tab.pass(100);
  api.tell("runs");
  await tab.pass(5000);
  assert.deepEqual(seen.readings, [0, 1500]);
});

test("what was lost is a mark until all has been read again", async () => {
  const api = new StandIn();
  const seen = await opened(api, 100);
  await tab.pass(1000);
  api.leave();
  await tab.pass(600);
  assert.deepEqual(seen.links.at(-1), { state: "lost", reason: "refused: 0" });
  assert.deepEqual(seen.readings, [0], "the stream finds the server again");
  api.refusal = undefined;
  await tab.pass(1000);
  assert.equal(seen.links.at(-1)?.state, "lost", "nothing was read yet");
  api.tell("runs");
  await settled();
  await tab.pass(200);
  assert.equal(seen.links.at(-1)?.state, "live");
  assert.equal(seen.readings.length, 2);
});

test("a reading that fails beside a stream is tried again, less and less often", async () => {
  const api = new StandIn();
  const seen = await opened(api);
  await settled();
  seen.fails = new ApiError(503, "busy");
  api.tell("runs");
  await tab.pass(2000);
  api.tell("runs");
  await tab.pass(6000);
  assert.deepEqual(seen.readings, [0, 300, 1300, 3300, 7300]);
  assert.deepEqual(seen.links.at(-1), { state: "lost", reason: "busy" });
  seen.fails = undefined;
  await tab.pass(10_000);
  assert.deepEqual(seen.readings.slice(5), [15_300]);
  assert.equal(seen.links.at(-1)?.state, "live");
});

test("what is refused is not read again by itself", async () => {
  const api = new StandIn();
  const seen = await opened(api);
  await settled();
  seen.fails = new ApiError(422, "wrong");
  api.tell("runs");
  await tab.pass(1000);
  api.tell("runs");
  await tab.pass(60_000);
  assert.deepEqual([seen.readings, seen.refused, seen.links.at(-1)], [[0, 300], 1, undefined]);
  seen.fails = undefined;
  watching?.now();
  api.tell("runs");
  await tab.pass(1000);
  assert.equal(seen.readings.length, 4);
});

test("in a hidden tab nothing is read, and all when it is seen", async () => {
  const api = new StandIn();
  const seen = await opened(api);
  await settled();
  api.tell("runs");
  await settled();
  tab.see(false);
  await tab.pass(60_000);
  assert.deepEqual(seen.readings, [0]);
  tab.see(true);
  await settled();
  api.tell(...ALL);
  await tab.pass(1000);
  assert.equal(seen.readings.length, 2);
});

test("of an older server it is read once, and again by hand", async () => {
  const api = new StandIn();
  api.refusal = 404;
  const seen = view(api);
  await tab.pass(60_000);
  assert.deepEqual(seen.readings, [0]);
  assert.equal(seen.links.at(-1)?.state, "untold");
  watching?.now();
  await settled();
  assert.equal(seen.readings.length, 2);
});

test("a saved export is read once, without a stream", async () => {
  const api = new StandIn(true);
  const seen = await opened(api);
  await tab.pass(1000);
  assert.deepEqual([seen.readings, api.asked], [[0], 0]);
});
