// Runs while they go on: nothing is lost by a reload, by a second page, or by a server that is killed.

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

seen("a run is watched without a question to the server, and after a reload all of it is there", async ({ visit }) => {
  const { thread } = await served.begin("ticker", { n: 150, delay_ms: 100 }, LIMIT);
  const page = await visit(served.studio(`#/threads/${thread}?tab=timeline`));
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
  await until(async () => (await tasks(page)) >= before + 5, "what was before the reload is there");
  await served.settled(thread);
  await until(async () => (await tasks(page)) === 150, "all tasks are there");
  await page.getByRole("tab", { name: "State" }).click();
  await page
    .getByRole("region", { name: "ticks", exact: true })
    .getByText(/150|149/)
    .first()
    .waitFor();
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
    const { thread } = await served.begin("ticker", { n: 100, delay_ms: 100 }, LIMIT);
    const page = await visit(served.studio(`#/threads/${thread}?tab=timeline`));
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
    await mark.waitFor({ state: "detached", timeout: 30_000 });
    await until(async () => (await tasks(page)) > known, "the run goes on", 60_000);
    await served.settled(thread);
    const { values } = await served.state(thread);
    assert.equal(values.ticks.length, 100);
    await page.getByRole("tab", { name: "State" }).click();
    await page.getByRole("region", { name: "ticks", exact: true }).getByText(/100/).first().waitFor();
  },
  { mayFail: /Failed to load resource|ERR_CONNECTION|net::ERR/ },
);

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
        .waitFor({ timeout: 30_000 });
    }
    assert.ok(await row.isVisible(), "the runs of before are still listed");
    assert.ok(await inbox.getByText("Approve?").first().isVisible(), "the questions of before are still listed");
    await served.start();
    for (const page of [runs, inbox]) {
      await page
        .getByText(/cannot be reached/)
        .first()
        .waitFor({ state: "detached", timeout: 30_000 });
    }
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
