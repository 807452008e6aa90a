// Runs while they go on: nothing is lost by a reload, by a second page, or by a server that is killed. Lists show what was done
// elsewhere, and ask nothing while nothing is done.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { seen, until } from "./page.mjs";
import { serve } from "./served.mjs";

let served;
before(async () => (served = await serve()));
after(() => served?.stop());

const LIMIT = { config: { recursion_limit: 1000 } };
const rows = (page) => page.getByRole("treeitem", { name: /^tick/ });

/** How many tasks of the run the page knows, by what it says above the views. */
async function tasks(page) {
  const text = await page
    .getByRole("term")
    .filter({ hasText: /^Tasks$/ })
    .locator("xpath=following-sibling::*[1]")
    .textContent();
  return Number((text ?? "").replaceAll(/\D/g, ""));
}

/** Begins a run that goes on until it is stopped. */
const begin = (delay_ms) => served.begin("ticker", { n: 100_000, delay_ms }, { config: { recursion_limit: 200_000 } });

/** Stops it; answers its ticks. */
async function stop({ thread, run }) {
  await served.ask("POST", `/threads/${thread}/runs/${run}/cancel?action=interrupt&wait=true`);
  await served.settled(thread);
  return (await served.state(thread)).values.ticks;
}

seen("a run is watched without a question to the server, and after a reload all of it is there", async ({ visit }) => {
  const begun = await begin(50);
  const address = served.studio(`#/threads/${begun.thread}?tab=timeline`);
  const page = await visit(address);
  await until(async () => (await tasks(page)) > 2, "it goes on");
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const before = await tasks(page);
  await until(async () => (await tasks(page)) >= before + 5, "it goes on");
  assert.deepEqual(
    asked.filter((path) => path.endsWith("/stream/events")),
    [],
    "the stream is the one that was opened",
  );
  await page.reload();
  await until(async () => (await tasks(page)) >= before + 10, "what was before the reload is there, and it goes on");
  const { length } = await stop(begun);
  // A page that comes when all is over is told all of it at once. The last task may have been stopped in its middle.
  const other = await visit(address);
  await until(async () => (await tasks(other)) >= length, "all tasks are there");
  await until(async () => (await tasks(page)) === (await tasks(other)), "both pages know the same tasks");
  assert.ok((await tasks(page)) <= length + 1, "no task is counted twice");
  await page.getByRole("tab", { name: "State" }).click();
  await page.getByRole("region", { name: "ticks", exact: true }).getByText(String(length)).first().waitFor();
});

seen("two pages of a thread show the same", async ({ visit }) => {
  const thread = await served.thread();
  const first = await visit(served.studio(`#/threads/${thread}?tab=timeline`));
  const second = await visit(served.studio(`#/threads/${thread}`));
  await served.begin("ticker", { n: 20, delay_ms: 50 }, { thread, ...LIMIT });
  await served.settled(thread, "idle");
  for (const page of [first, second]) await until(async () => (await tasks(page)) === 20, "all tasks");
  await second.getByRole("button", { name: /^tick\s*: done, 20 tasks/ }).waitFor();
});

seen(
  "the server is killed in the middle: the page says so and stays, and goes on when it is back",
  async ({ visit }) => {
    const begun = await begin(100);
    const page = await visit(served.studio(`#/threads/${begun.thread}?tab=timeline`));
    await until(async () => (await tasks(page)) > 3, "it goes on");
    await served.kill();
    const mark = page.getByRole("status").filter({ hasText: /connection lost/ });
    await mark.waitFor();
    const known = await tasks(page);
    assert.ok(known > 3, "what is known is still shown");
    await page.getByRole("searchbox", { name: /Nodes/ }).fill("nothing like this");
    await until(async () => (await rows(page).count()) === 0, "the page still reacts");
    await page.getByRole("searchbox", { name: /Nodes/ }).fill("");
    await until(async () => (await rows(page).count()) > 3, "the page still reacts");
    await page.getByRole("tab", { name: "Graph" }).click();
    await page.getByRole("button", { name: /^tick/ }).first().waitFor();
    await served.start();
    await mark.waitFor({ state: "detached" });
    await until(async () => (await tasks(page)) > known, "the run goes on");
    const ticks = await stop(begun);
    assert.ok(ticks.length >= known - 1, "what was done before is there");
    assert.deepEqual(ticks, Array.from(ticks, (_, at) => at + 1), "nothing is left out, and nothing is there twice");
    await page.getByRole("tab", { name: "State" }).click();
    await page
      .getByRole("region", { name: "ticks", exact: true })
      .getByText(new RegExp(`${ticks.length}`))
      .first()
      .waitFor();
  },
  { mayFail: /Failed to load resource|ERR_CONNECTION|net::ERR/ },
);

const LAST = /\/ok\?last$/;

/** Sets the clock of a page that is not yet open: its minutes pass when the test says so. */
const clocked = { opened: (page) => page.clock.install() };

/**
 * Waits until a minute passes on the page without a question to the server; what it asks from then on is in the list that it
 * answers.
 */
async function quiet(page) {
  const asked = [];
  const outstanding = new Set();
  page.on("request", (request) => {
    if (LAST.test(request.url())) return;
    asked.push(`${request.method()} ${new URL(request.url()).pathname}`);
    if (!/\/(changes|stream\/events)$/.test(request.url())) outstanding.add(request);
  });
  page.on("requestfinished", (request) => outstanding.delete(request));
  page.on("requestfailed", (request) => outstanding.delete(request));
  await page.getByRole("status").filter({ hasText: /^live$/ }).waitFor();
  await until(async () => {
    asked.length = 0;
    await pass(page, "01:00");
    return asked.length === 0 && outstanding.size === 0;
  }, "it is quiet");
  return asked;
}

/** So much time passes on the page; what it asked meanwhile is known then. */
async function pass(page, time) {
  await page.clock.fastForward(time);
  // Questions are told in their order, so that one that comes after them tells that there is none before it.
  const last = page.waitForRequest(LAST);
  await page.evaluate(() => void fetch("/ok?last"));
  await last;
}

seen("lists show what was done elsewhere, and ask nothing while nothing is done", async ({ visit }) => {
  const pages = [];
  for (const view of ["runs", "inbox", "schedules", "store"]) pages.push(await visit(served.studio(`#/${view}`), clocked));
  const [runs, inbox, schedules, store] = pages;
  const asked = await Promise.all(pages.map(quiet));
  for (const page of pages) await pass(page, "10:00");
  assert.deepEqual(asked, [[], [], [], []]);

  const { thread } = await served.begin("approval", { request: "a gate in the hedge" });
  await runs.getByRole("grid").getByTitle(thread).waitFor();
  await served.settled(thread, "interrupted");
  await inbox.getByText("a gate in the hedge").first().waitFor();
  const yearly = { schedule: "0 4 1 1 *", input: { topic: "once a year" } };
  await served.ask("POST", "/runs/crons", { assistant_id: "pipeline", ...yearly });
  await schedules.getByRole("grid").getByText("pipeline").waitFor();
  await served.ask("PUT", "/store/items", { namespace: ["hedge"], key: "gate", value: { stands: "open" } });
  await store.getByRole("region", { name: "Items" }).getByText("gate", { exact: true }).waitFor();

  await served.begin("approval", undefined, { thread, command: { resume: "approve" } });
  await inbox.getByText("a gate in the hedge").first().waitFor({ state: "detached" });
  const all = asked.flat();
  assert.deepEqual(
    all.filter((one) => one.endsWith("/changes")),
    [],
    "the streams are those that were opened",
  );
  assert.ok(all.length < 30, `the pages asked ${all.length} times:\n${all.join("\n")}`);
});

seen("a page of a thread has no second stream, and a hidden list has none", async ({ visit }) => {
  const page = await visit(served.studio("#/runs"), clocked);
  await quiet(page);
  const open = new Set();
  const isStream = (request) => /\/(changes|stream\/events)$/.test(new URL(request.url()).pathname);
  page.on("request", (request) => isStream(request) && open.add(request.url()));
  page.on("requestfailed", (request) => open.delete(request.url()));
  page.on("requestfinished", (request) => open.delete(request.url()));
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { get: () => window.isAway === true });
    window.see = (isSeen) => {
      window.isAway = !isSeen;
      document.dispatchEvent(new Event("visibilitychange"));
    };
  });
  const ended = page.waitForEvent("requestfailed", isStream);
  await page.evaluate(() => window.see(false));
  await ended;
  const { thread } = await served.begin("pipeline", { topic: "while nobody looks" });
  await served.settled(thread);
  assert.deepEqual([...open], []);
  await page.evaluate(() => window.see(true));
  const row = page.getByRole("grid").getByTitle(thread);
  await row.waitFor();
  await page.getByRole("grid").getByRole("row").filter({ has: page.getByTitle(thread) }).getByRole("link").first().click();
  await page.getByRole("tab", { name: "Graph" }).waitFor();
  await until(() => open.size === 1 && [...open][0].endsWith("/stream/events"), "one stream is open");
});

seen(
  "the list of runs and the inbox say that they are of before, and come back",
  async ({ visit }) => {
    await served.run("approval", { request: "waits" });
    const runs = await visit(served.studio("#/runs"));
    const inbox = await visit(served.studio("#/inbox"));
    const row = runs.getByRole("grid").getByRole("link", { name: "approval" }).first();
    await row.waitFor();
    await inbox.getByText("Approve?").first().waitFor();
    await served.kill();
    for (const page of [runs, inbox]) {
      await page
        .getByText(/cannot be reached/)
        .first()
        .waitFor();
    }
    assert.ok(await row.isVisible(), "the runs of before are still listed");
    assert.ok(await inbox.getByText("Approve?").first().isVisible(), "the questions of before are still listed");
    await served.start();
    for (const page of [runs, inbox]) {
      await page
        .getByText(/cannot be reached/)
        .first()
        .waitFor({ state: "detached" });
    }
    const { thread } = await served.begin("approval", { request: "asked after the fall" });
    await runs.getByRole("grid").getByTitle(thread).waitFor();
    await inbox.getByText("asked after the fall").first().waitFor();
  },
  { mayFail: /Failed to load resource|ERR_CONNECTION|net::ERR/ },
);

seen("messages are written word by word where they are said", async ({ visit }) => {
  const words = Array.from({ length: 200 }, (_, at) => `word${at}`).join(" ");
  const thread = await served.run("echo_chat", { messages: [{ role: "user", content: "before" }] });
  const page = await visit(served.studio(`#/threads/${thread}?tab=messages`));
  await page.getByText("Echo: before").waitFor();
  await served.begin("echo_chat", { messages: [{ role: "user", content: words }] }, { thread });
  await until(async () => (await page.getByText(/Echo: word0 .*word199/).count()) > 0, "the whole answer is there");
});

seen("what is streamed is chosen in the tab at once, and what is left out is said", async ({ visit }) => {
  const say = (content) => ({ messages: [{ role: "user", content }] });
  const thread = await served.run("echo_chat", say("first"));
  const page = await visit(served.studio(`#/threads/${thread}?tab=timeline`));
  const streams = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/stream/events")) streams.push(request.postDataJSON());
  });
  const row = page.getByRole("treeitem", { name: /^model/ });
  await row.first().click();
  const task = page.getByRole("complementary", { name: "model" });
  await task.getByRole("region", { name: "Messages" }).getByText("Echo: first").waitFor();

  await page.getByText(/^What is streamed/).click();
  await page.getByRole("checkbox", { name: /^Messages, word by word/ }).uncheck();
  const notice = page.getByRole("status").filter({ hasText: "not while they are written" });
  await notice.waitFor();
  await until(() => streams.at(-1)?.channels.includes("messages") === false, "the stream is opened again");
  assert.ok(streams.at(-1).since > 0, "it goes on after the last event");
  await task.getByText("Echo: first").first().waitFor();

  await page.reload();
  await notice.waitFor();
  await served.run("echo_chat", say("second"), { thread });
  await until(async () => (await row.count()) === 2, "the second run is there");
  await row.nth(1).click();
  await task.getByText(/not while they are written/).waitFor();
  assert.equal(await task.getByRole("region", { name: "Messages" }).count(), 0);

  await page.getByRole("button", { name: "Stream all" }).click();
  await notice.waitFor({ state: "detached" });
  await task.getByRole("region", { name: "Messages" }).getByText("Echo: second").waitFor();
});
