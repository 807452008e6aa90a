// The list of runs, and how a run is started.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { hasFocus, pressUntil, seen, toTab, until } from "./page.mjs";
import { serve } from "./served.mjs";

/** More than a page of the list holds; `STUDIO_ALL=1` tries as many as a server gathers in weeks. */
const MANY = process.env.STUDIO_ALL === undefined ? 300 : 3000;

let served;
before(async () => {
  served = await serve();
  for (let made = 0; made < MANY; made += 100) {
    const batch = Array.from({ length: 100 }, (_, at) => order(made + at));
    await served.ask("POST", "/runs/batch", batch);
  }
  await until(haveEnded, "all runs have ended");
});
after(() => served?.stop());

/** The run of this number: of thirty one fails, and of each hundred the last has a label of its own. */
function order(number) {
  const metadata = { number, shelf: number % 100 === 99 ? "rare" : "common" };
  const more = { metadata, on_completion: "keep" };
  if (number % 30 === 0) return { assistant_id: "faulty", input: { mode: "fail" }, ...more };
  if (number % 3 === 0) return { assistant_id: "memory", input: { note: `note ${number}` }, ...more };
  return { assistant_id: "pipeline", input: { topic: `topic ${number}` }, ...more };
}

async function haveEnded() {
  for (const status of ["pending", "running"]) {
    if ((await served.ask("POST", "/runs/search", { status, limit: 1 })).length > 0) return false;
  }
  return true;
}

/** What the list says of so many runs. */
const runs = (count) => new RegExp(`^${count.toLocaleString("en-US").replace(",", "\\s")} runs?\\b`);
const ALL = runs(MANY);

const grid = (page) => page.getByRole("grid", { name: /^Runs/ });

async function counts(page, words) {
  await until(
    async () => (await page.getByRole("status").allTextContents()).some((text) => words.test(text)),
    `${words}`,
  );
}

seen(
  "many runs are narrowed down by status, graph, metadata and text, and the address keeps it",
  async ({ visit }) => {
    const page = await visit(served.studio("#/runs"));
    await counts(page, ALL);
    const rows = await grid(page).getByRole("row").count();
    assert.ok(rows > 5 && rows < 100, `${rows} rows are in the page, and not all`);

    await page.getByLabel("Status").selectOption("failed");
    await counts(page, runs(MANY / 30));
    await page.getByLabel("Status").selectOption("any");
    await page.getByLabel("Graph").selectOption("memory");
    await counts(page, runs((MANY * 3) / 10));
    await page.getByLabel("Metadata").fill("shelf=rare");
    await counts(page, runs(MANY / 300));
    const address = page.url();
    const other = await visit(address);
    await counts(other, runs(MANY / 300));
    assert.equal(await other.getByLabel("Graph").inputValue(), "memory");

    await page.getByRole("button", { name: "Show all" }).click();
    await counts(page, ALL);
    const [{ thread_id: thread }] = await served.ask("POST", "/runs/search", { metadata: { number: MANY - 66 }, limit: 1 });
    await page.getByLabel(/^Search/).fill(thread);
    await counts(page, runs(1));
  },
);

seen("by keyboard one comes to the search, through the rows to the last one, and into a run", async ({ visit }) => {
  const page = await visit(served.studio("#/runs"));
  await counts(page, ALL);
  await page.keyboard.press("/");
  await page.keyboard.type("topic");
  assert.equal(await page.getByLabel(/^Search/).inputValue(), "topic");
  await page.getByLabel(/^Search/).fill("");
  await counts(page, ALL);
  await pressUntil(page, "Tab", () => hasFocus(grid(page)), "the list");
  const active = () =>
    page.evaluate(() => {
      const row = document.getElementById(document.activeElement?.getAttribute("aria-activedescendant") ?? "");
      return Number(row?.getAttribute("aria-rowindex") ?? 0);
    });
  await until(async () => (await active()) === 2, "the first row");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await until(async () => (await active()) === 4, "the third row");
  await page.keyboard.press("PageDown");
  await until(async () => (await active()) > 8, "a page further");
  // The list grows when its end comes into view.
  await until(async () => {
    await page.keyboard.press("End");
    return (await active()) === MANY + 1;
  }, "the last row");
  await page.keyboard.press("Home");
  await until(async () => (await active()) === 2, "the first row again");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/threads\//);
  await page.getByRole("tab").first().waitFor();
});

seen("a run is started from its form, and is in the list with what became of it", async ({ visit }) => {
  const page = await visit(served.studio("#/start"));
  await page
    .getByRole("combobox", { name: "Graph" })
    .or(page.getByLabel("Graph"))
    .first()
    .selectOption({ label: "pipeline" });
  await page.getByLabel("topic").fill("a run by mouse");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/threads\//);
  await page.getByRole("tab", { name: "State" }).click();
  await page.getByText("finish:a run by mouse").first().waitFor();
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  const row = grid(page).getByRole("row").nth(1);
  await until(
    async () => /pipeline.*done/s.test((await row.textContent()) ?? ""),
    "the newest row is the run, and it is done",
  );
  await row.getByRole("link", { name: "pipeline" }).click();
  await page.waitForURL(/#\/threads\//);
  for (const name of ["Graph", "Timeline", "State", "History"]) {
    await page.getByRole("tab", { name }).click();
    await until(
      async () => ((await page.getByRole("tabpanel").textContent()) ?? "").length > 10,
      `${name} shows something`,
    );
  }
});

seen("a run is started by keyboard alone", async ({ visit }) => {
  const page = await visit(served.studio("#/start/echo_chat"));
  await page.getByRole("button", { name: "JSON" }).first().focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Input as JSON").focus();
  const written = '{"messages":[{"role":"user","content":"by keyboard"}]}';
  for (let time = 0; time < 5; time += 1) {
    await page.keyboard.press("Control+a");
    await page.keyboard.type(written);
    assert.equal(await page.getByLabel("Input as JSON").inputValue(), written, "nothing that was typed is lost");
  }
  const start = page.getByRole("button", { name: "Start", exact: true });
  await pressUntil(page, "Tab", () => hasFocus(start), "the button");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/threads\//);
  await toTab(page, "State");
  await page.getByText("Echo: by keyboard").first().waitFor();
});

seen("an input that does not fit is refused at its field before anything is sent", async ({ visit }) => {
  const page = await visit(served.studio("#/start/ticker"));
  const asked = [];
  page.on("request", (request) => request.method() === "POST" && asked.push(new URL(request.url()).pathname));
  await page.getByLabel("n", { exact: true }).fill("many");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  const field = page.getByLabel("n", { exact: true });
  await until(async () => (await field.getAttribute("aria-invalid")) === "true", "the field is marked");
  await until(() => field.evaluate((node) => node === document.activeElement), "the field has the focus");
  const told = await field.evaluate((node) =>
    (node.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent ?? "")
      .join(" "),
  );
  assert.match(told, /number/);
  assert.deepEqual(
    asked.filter((path) => path === "/threads" || path.endsWith("/runs")),
    [],
  );
  await field.fill("3");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/threads\//);
});

seen("an earlier input begins another run", async ({ visit }) => {
  await served.run("approval", { request: "an earlier request" });
  const page = await visit(served.studio("#/start/approval"));
  await page.getByRole("button", { name: /Earlier inputs/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /an earlier request/ })
    .click();
  assert.equal(await page.getByLabel("request").inputValue(), "an earlier request");
});

seen("a breakpoint stops the run before its node, and Continue leads it on", async ({ visit }) => {
  const page = await visit(served.studio("#/start/pipeline"));
  await page.getByLabel("topic").fill("a stop");
  await page.getByText("Breakpoints").click();
  await page.getByRole("checkbox", { name: "Stop before work" }).check();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/threads\//);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("tab", { name: "State" }).click();
  await until(async () => {
    // It stops again where it was to stop: the breakpoints are those of the run.
    const go = page.getByRole("button", { name: "Continue" });
    if (await go.isVisible()) await go.click().catch(() => undefined);
    return page.getByText("finish:a stop").first().isVisible();
  }, "the run has come to its end");
});
