// What a thread did and does: its graph, its timeline, its state, its history, and what can be done with it.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { hasFocus, pressUntil, seen, toTab, until } from "./page.mjs";
import { serve } from "./served.mjs";

let served;
before(async () => (served = await serve()));
after(() => served?.stop());

/** The node of this name in the drawing, in this graph inside if one is named, and standing like this. */
function node(page, name, standing, inside = "") {
  const words = [name, inside === "" ? "" : `, in ${inside}`, `: ${standing}`].filter((word) => word !== "");
  const pattern = new RegExp(`^${words.join("\\s*")}`);
  return page.getByRole("list", { name: "Nodes" }).getByRole("button", { name: pattern });
}

const checkpoints = (page) => page.getByRole("listbox", { name: /^Checkpoints/ });
const field = (page, name) => page.getByRole("region", { name, exact: true });

seen("the graph shows where each node stands, and a node its tasks", async ({ visit }) => {
  const thread = await served.run("approval", { request: "a fence" });
  const page = await visit(served.studio(`#/threads/${thread}`));
  await node(page, "draft", "done").waitFor();
  await node(page, "review", "asks").waitFor();
  await node(page, "publish", "not reached").waitFor();
  await node(page, "draft", "done").click();
  const tasks = page.getByRole("region", { name: "Tasks of draft" });
  await tasks.getByRole("button", { name: /done/ }).click();
  const task = page.getByRole("complementary", { name: "draft" });
  await task.getByText("Draft for a fence").first().waitFor();
  assert.match(page.url(), /task=/);
  await page.keyboard.press("Escape");
  await task.waitFor({ state: "hidden" });
  await served.begin("approval", undefined, { thread, command: { resume: "approve" } });
  await node(page, "publish", "done").waitFor();
  await node(page, "discard", "skipped").waitFor();
});

seen("a fan-out is one node with its number, and its tasks are rows of the timeline", async ({ visit }) => {
  const names = Array.from({ length: 12 }, (_, at) => `name ${at}`);
  const thread = await served.run("fanout", { names, ask: false });
  const page = await visit(served.studio(`#/threads/${thread}`));
  const worker = node(page, "worker", "done, 12 tasks");
  await worker.waitFor();
  assert.match((await worker.textContent()) ?? "", /×12/);
  await toTab(page, "Timeline");
  const rows = page.getByRole("treeitem", { name: /^worker/ });
  await until(async () => (await rows.count()) === 12, "twelve rows");
  await page.getByRole("searchbox", { name: /Nodes/ }).fill("join");
  await until(async () => (await page.getByRole("treeitem").count()) === 1, "one row");
});

seen("a graph inside is opened in place, and what it did is told apart", async ({ visit }) => {
  const thread = await served.run("nested", { text: "inside", ask: true });
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("button", { name: /^Open the graph inside child/ }).click();
  await node(page, "upper", "done", "child").waitFor();
  await node(page, "confirm", "asks", "child").waitFor();
  assert.match(page.url(), /open=child/);
  await page.reload();
  await node(page, "upper", "done", "child").waitFor();
  await page.getByRole("button", { name: /^Close the graph inside child/ }).click();
  await node(page, "upper", "", "child").waitFor({ state: "detached" });
});

seen("by keyboard one walks through the timeline to the page of a task and back", async ({ visit }) => {
  const thread = await served.run("pipeline", { topic: "keys" });
  const page = await visit(served.studio(`#/threads/${thread}`));
  await toTab(page, "Timeline");
  const tree = page.getByRole("tree", { name: /^Tasks/ });
  await pressUntil(page, "Tab", () => hasFocus(tree), "the tasks");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const task = page.getByRole("complementary", { name: "work" });
  await task.getByText('"progress":3').first().waitFor();
  await task.getByText("work:keys").first().waitFor();
  // What it began with is read from the server.
  await task.getByRole("tree", { name: "Input of work" }).getByText("plan:keys").waitFor();
  await page.keyboard.press("Escape");
  await task.waitFor({ state: "hidden" });
  await until(() => tree.evaluate((node) => node === document.activeElement), "the focus is where it was");
});

seen("the address alone shows the same tab, task and checkpoint to somebody else", async ({ visit }) => {
  const thread = await served.run("pipeline", { topic: "a link" });
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.getByRole("treeitem", { name: /^plan/ }).click();
  await page.getByRole("complementary", { name: "plan" }).waitFor();
  const withTask = await visit(page.url());
  await withTask.getByRole("complementary", { name: "plan" }).waitFor();
  assert.equal(await withTask.getByRole("tab", { selected: true }).textContent(), "Timeline");

  await page.getByRole("tab", { name: "State" }).click();
  await page.getByRole("button", { name: /Before/ }).click();
  await until(async () => !(await field(page, "items").getByText("finish:a link").isVisible()), "an earlier state");
  await field(page, "items").getByText("work:a link").waitFor();
  const withState = await visit(page.url());
  await field(withState, "items").getByText("work:a link").waitFor();
  assert.equal(await field(withState, "items").getByText("finish:a link").count(), 0);
  assert.equal(await withState.getByRole("tab", { selected: true }).textContent(), "State");
  await page.goBack();
  await field(page, "items").getByText("finish:a link").waitFor();
});

seen("the state at an earlier checkpoint is shown with what differs from the one before", async ({ visit }) => {
  const thread = await served.run("pipeline", { topic: "a step" });
  const page = await visit(served.studio(`#/threads/${thread}?tab=state`));
  await field(page, "count").getByText("3").first().waitFor();
  await field(page, "topic").getByText("8 B").waitFor();
  await page.getByRole("checkbox", { name: /only what differs/ }).check();
  const items = field(page, "items");
  await items.getByText("finish:a step").first().waitFor();
  await page.getByText(/unchanged: .*topic/).waitFor();
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("[");
  await items.getByText("work:a step").first().waitFor();
  assert.equal(await field(page, "count").count(), 0, "the count was not written there");
  await page.keyboard.press("]");
  await items.getByText("finish:a step").first().waitFor();
});

seen(
  "a run goes again from an earlier checkpoint, an edit makes a branch, and two branches are compared",
  async ({ visit }) => {
    const thread = await served.run("pipeline", { topic: "branches" });
    const page = await visit(served.studio(`#/threads/${thread}?tab=history`));
    const rows = checkpoints(page).getByRole("option");
    await until(async () => (await rows.count()) === 5, "five checkpoints");
    await rows.filter({ hasText: /plan/ }).first().click();
    const chosen = page.getByRole("region", { name: "The checkpoint that is chosen" });
    await chosen.getByRole("button", { name: "Run again from here" }).click();
    await until(async () => (await rows.count()) > 5, "the run adds checkpoints");
    await served.settled(thread);
    const first = page.url();

    await page.goto(first);
    await chosen.getByRole("button", { name: "Edit state and fork" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit the state and fork" });
    await dialog.getByLabel(/as JSON/).fill('{"topic": 7}');
    await dialog.getByRole("button", { name: "Fork with this change" }).click();
    await dialog.getByRole("alert").filter({ hasText: "topic" }).waitFor();
    await dialog.getByLabel(/as JSON/).fill('{"topic": "another"}');
    await dialog.getByRole("button", { name: "Fork with this change" }).click();
    await dialog.waitFor({ state: "hidden" });
    await field(page, "topic").getByText("another").waitFor();
    await chosen.getByRole("button", { name: "Run again from here" }).click();
    await until(
      async () => (await served.state(thread)).values.topic === "another",
      "the branch is the thread's state",
    );
    await served.settled(thread);
    const { values } = await served.state(thread);
    assert.equal(values.items.at(-1), "finish:another");

    // Whoever presses while rows come in presses another one.
    await until(async () => (await rows.count()) === 12, "the checkpoints of all three runs");
    await rows.first().click();
    await until(
      async () => (await chosen.getByRole("heading", { level: 2 }).textContent())?.includes("finish"),
      "the newest",
    );
    await chosen.getByRole("button", { name: "Compare" }).click();
    // The newest end of the branch before: made by `finish`, and not by the edit.
    await rows
      .filter({ hasText: /finish/ })
      .nth(1)
      .click();
    const compared = page.getByRole("region", { name: "Two checkpoints compared" });
    await compared.getByText("finish:another").first().waitFor();
    await compared.getByText("finish:branches").first().waitFor();
    const link = await visit(page.url());
    await link.getByRole("region", { name: "Two checkpoints compared" }).getByText("finish:another").first().waitFor();
  },
);

seen("a run is cancelled when the dialog is confirmed, and not before", async ({ visit }) => {
  const { thread } = await served.begin("ticker", { n: 600, delay_ms: 100 });
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel the run?" });
  await dialog.getByRole("button", { name: "Leave it" }).click();
  await dialog.waitFor({ state: "hidden" });
  assert.equal((await served.ask("GET", `/threads/${thread}`)).status, "busy");
  await page.getByRole("button", { name: "Cancel", exact: true }).focus();
  await page.keyboard.press("Enter");
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assert.equal((await served.ask("GET", `/threads/${thread}`)).status, "busy");
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await dialog.getByRole("button", { name: "Cancel the run" }).click();
  await served.settled(thread, "interrupted", "idle");
  await page.getByRole("button", { name: "Continue" }).waitFor();
  await page.getByRole("button", { name: "Cancel", exact: true }).waitFor({ state: "detached" });
});

seen("a cancelled run can be taken back: the thread is as it was before", async ({ visit }) => {
  const thread = await served.run("ticker", { n: 2, delay_ms: 0 });
  await served.begin("ticker", { n: 600, delay_ms: 100 }, { thread });
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel the run?" });
  await dialog.getByRole("radio", { name: /taken back/ }).check();
  await dialog.getByRole("button", { name: "Cancel the run" }).click();
  await until(async () => (await served.ask("GET", `/threads/${thread}/runs`)).length === 1, "the run is gone");
  assert.deepEqual((await served.state(thread)).values.ticks, [1, 2]);
  await page.getByRole("button", { name: "Cancel", exact: true }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Copy thread" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Continue" }).count(), 0, "nothing is left to go on with");
  await page.getByRole("tab", { name: "State" }).click();
  await field(page, "n").getByText("2", { exact: true }).waitFor();
});

seen("another input waits in the queue of a thread that is busy, and runs behind", async ({ visit }) => {
  // The first run is before its only tick until it is cancelled.
  const { thread, run } = await served.begin("ticker", { n: 1, delay_ms: 3_600_000 });
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("link", { name: "New input" }).click();
  await page.getByLabel("n", { exact: true }).fill("3");
  await page.getByLabel("delay_ms", { exact: true }).fill("0");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/threads\//);
  await page.getByText("1 run in the queue").waitFor();
  assert.equal((await served.state(thread)).values.ticks?.length ?? 0, 0, "nothing runs beside the first run");
  await served.ask("POST", `/threads/${thread}/runs/${run}/cancel?action=interrupt`);
  await until(async () => (await served.state(thread)).values.ticks?.length === 3, "the second run");
  await page.getByText("1 run in the queue").waitFor({ state: "detached" });
});

seen("a run that failed says why, and is tried again from where it failed", async ({ visit }) => {
  const thread = await served.run("faulty", { mode: "fail" });
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("alert").filter({ hasText: "boom: mode=fail" }).first().waitFor();
  await node(page, "boom", "failed").waitFor();
  await page.getByRole("button", { name: "Retry" }).click();
  await until(async () => (await served.ask("GET", `/threads/${thread}/runs`)).length === 2, "another run");
  await served.settled(thread);
  await node(page, "boom", "failed").waitFor();
  // With a state that lets it work the same button leads to the end.
  await served.ask("POST", `/threads/${thread}/state`, { values: { mode: "work" }, as_node: "before" });
  await page.reload();
  await page.getByRole("button", { name: /^(Retry|Continue)$/ }).click();
  await until(async () => (await served.state(thread)).values.log.at(-1) === "boom", "the step is done");
});

seen("a conversation is read as messages, and its Markdown as such", async ({ visit }) => {
  const thread = await served.run("echo_chat", {
    messages: [{ role: "user", content: "# A title\n\n- one\n- **two**" }],
  });
  const page = await visit(served.studio(`#/threads/${thread}?tab=messages`));
  await page.getByText("Echo:").first().waitFor();
  const panel = page.getByRole("tabpanel");
  await panel.locator("strong", { hasText: /^two$/ }).first().waitFor();
  await panel.getByRole("listitem").filter({ hasText: "one" }).first().waitFor();
});

seen(
  "a thread that is not there, and one that is no id, say so",
  async ({ visit }) => {
    for (const id of ["00000000-0000-7000-8000-000000000000", "no-id"]) {
      const page = await visit(served.studio(`#/threads/${id}`));
      await page.getByRole("heading", { name: "There is no such thread" }).waitFor();
      await page.getByRole("link", { name: "All runs" }).click();
      await page.getByRole("heading", { name: "Runs" }).waitFor();
    }
  },
  { mayFail: /Failed to load resource: .* (404|422)/ },
);
