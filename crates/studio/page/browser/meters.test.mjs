// What runs use of models: tokens, cost, time, and what is left of the budget.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before } from "node:test";
import { open, saved } from "./exports.mjs";
import { hasFocus, pressUntil, seen, until } from "./page.mjs";
import { serve } from "./served.mjs";

/**
 * A model behind a server, as providers have them: it plans nothing and writes one paragraph, 1000 tokens in and 100 out a
 * call. While `holds`, what it writes is held back.
 */
class Model {
  answered = 0;
  holds = false;
  #held = [];
  #server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => this.#take(body, response));
  });

  async start() {
    await new Promise((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `compatible:writer@http://127.0.0.1:${this.#server.address().port}/v1`;
  }

  #take(body, response) {
    const isPlan = body.includes("<atomic_task_determination>");
    const content = isPlan
      ? "<result><atomic_task_determination>atomic</atomic_task_determination></result>"
      : "<article>\nThe moon pulls the water, twice a day.\n</article>";
    const give = () => {
      if (response.destroyed) return;
      this.answered += 1;
      const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
      const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ id: "x", object: "chat.completion", created: 0, model: "writer", choices, usage }),
      );
    };
    if (this.holds && !isPlan) this.#held.push(give);
    else give();
  }

  /** Whether a call waits for its answer. */
  get isWaitedFor() {
    return this.#held.length > 0;
  }

  release() {
    this.holds = false;
    for (const give of this.#held.splice(0)) give();
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const model = new Model();
let served;
before(async () => {
  const options = ["--budget", "calls=40,usd=1,price=1/2"];
  served = await serve({ apps: "writehere", model: await model.start(), options });
});
after(async () => {
  model.stop();
  await served?.stop();
});

const write = (more) => served.run("writehere", { request: "A report on tides" }, more);
const table = (page, name) => page.getByRole("tabpanel").getByRole("region", { name, exact: true }).getByRole("table");
const row = (page, name, of) => table(page, name).getByRole("row", { name: of });

/** What stands above the views under a name. */
async function fact(page, name) {
  const term = page.getByRole("banner").or(page.locator("main")).getByRole("term").filter({ hasText: name });
  return (await term.first().locator("xpath=following-sibling::*[1]").textContent()) ?? "";
}

/** The cells of a row, without its heading. */
const cells = (found) => found.getByRole("cell").allTextContents();

seen("the meters tell tokens, cost and time by node and model, and what is left of the budget", async ({ visit }) => {
  const before = model.answered;
  const thread = await write();
  const made = model.answered - before;
  assert.ok(made >= 1);
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("tab", { name: "Meters" }).click();
  const [calls, input, output, , cost] = await cells(row(page, "By model", /compatible:writer/));
  assert.deepEqual([calls, input.replace("\u202f", "")], [String(made), String(made * 1000)]);
  assert.equal(output.replace("\u202f", ""), String(made * 100));
  assert.equal(cost, `$${(made * 0.0012).toFixed(4)}`);
  await row(page, "By node", /^write › /)
    .first()
    .waitFor();
  assert.match(await fact(page, /^Tokens$/), new RegExp(`${made}\u202f000 in, ${made * 100} out`));
  assert.equal(await fact(page, /^Cost$/), cost);

  const meter = page.getByRole("meter", { name: "Calls of the budget" });
  assert.equal(await meter.getAttribute("aria-valuemax"), "40");
  assert.equal(await meter.getAttribute("aria-valuenow"), String(model.answered));
  await page.getByRole("meter", { name: "Cost of the budget" }).waitFor();

  // From a number to the task that made it.
  await row(page, "By model", /compatible:writer/).getByRole("button").click();
  const task = page.getByRole("complementary");
  await task.getByRole("heading", { name: "Calls of models" }).waitFor();
  await task.getByRole("group", { name: "Calls of models" }).getByText("compatible:writer").first().waitFor();
});

seen("by keyboard one comes to the meters and to the slowest call", async ({ visit }) => {
  const thread = await write();
  const page = await visit(served.studio(`#/threads/${thread}?tab=timeline`));
  await page.getByRole("tab", { selected: true }).focus();
  for (let presses = 0; presses < 12; presses += 1) {
    if ((await page.getByRole("tab", { selected: true }).textContent()) === "Meters") break;
    await page.keyboard.press("ArrowRight");
  }
  const slowest = row(page, "By model", /compatible:writer/).getByRole("button");
  await slowest.waitFor();
  await pressUntil(page, "Tab", () => hasFocus(slowest), "the slowest call");
  await page.keyboard.press("Enter");
  await page.getByRole("complementary").getByRole("heading", { name: "Calls of models" }).waitFor();
  await page.keyboard.press("Escape");
  await until(() => slowest.evaluate((node) => node === document.activeElement), "the focus is where it was");
});

seen("the list of runs has tokens and cost where there is room", async ({ visit }) => {
  await write();
  await served.run("pipeline", { topic: "no model" });
  const page = await visit(served.studio("#/runs"));
  const cell = (graph, kind) => page.locator(".run-row").filter({ hasText: graph }).first().locator(`.run-${kind}`);
  await page.getByRole("columnheader", { name: "Tokens" }).waitFor();
  assert.match((await cell("writehere", "tokens").textContent()) ?? "", /^\d\u202f\d00$/);
  assert.match((await cell("writehere", "cost").textContent()) ?? "", /^\$0\.00\d+$/);
  assert.equal(await cell("pipeline", "tokens").textContent(), "");
  await page.setViewportSize({ width: 390, height: 844 });
  await cell("writehere", "tokens").waitFor({ state: "hidden" });
});

seen("calls come as they are made, and none is counted twice after the server was killed", async ({ visit }) => {
  model.holds = true;
  const { thread, run } = await served.begin("writehere", { request: "A report on tides" });
  const page = await visit(served.studio(`#/threads/${thread}?tab=meters`));
  await until(() => model.isWaitedFor, "it asks for the text");
  const calls = async () => (await cells(row(page, "By model", /compatible:writer/)))[0];
  await until(async () => (await calls()) === "1", "the first call is there while the second is under way");
  const usage = async () => (await served.ask("GET", `/runs/${run}`)).usage;
  assert.deepEqual([(await usage()).calls, (await usage()).input_tokens], [1, 1000]);
  await served.kill();
  model.release();
  await served.start();
  await served.settled(thread, "idle");
  await until(async () => (await calls()) === "2", "both calls are there, once");
  assert.deepEqual([(await usage()).calls, (await usage()).input_tokens], [2, 2000]);
  await page.reload();
  await until(async () => (await calls()) === "2", "and so they are after a reload");
}, { mayFail: /Failed to load resource/ });

seen("a saved thread has its meters", async ({ visit }) => {
  const thread = await write();
  const page = await visit(served.studio(`#/threads/${thread}?tab=meters`));
  const file = await saved(page);
  const elsewhere = await visit(served.studio("#/file"));
  await open(elsewhere, file);
  await elsewhere.getByRole("region", { name: "The saved export" }).waitFor();
  await elsewhere.getByRole("tab", { name: "Meters" }).click();
  await row(elsewhere, "By model", /compatible:writer/).waitFor();
  await elsewhere.getByRole("meter", { name: "Calls of the budget" }).waitFor();
});

seen("a thread that called no model says so", async ({ visit }) => {
  const thread = await served.run("pipeline", { topic: "none" });
  const page = await visit(served.studio(`#/threads/${thread}?tab=meters`));
  await page.getByText("No call of a model was told").waitFor();
});
