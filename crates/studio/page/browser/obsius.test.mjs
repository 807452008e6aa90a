// The view of work on a vault, on the program with a vault of its own and a model that answers by rules.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before } from "node:test";
import { FORBIDDEN } from "./injections.mjs";
import { seen, until } from "./page.mjs";
import { serve } from "./served.mjs";
import { HARM, LINKS, NOTES, REQUEST, SCRIPT, Vault } from "./vault.mjs";

const vault = new Vault();
let served;
before(async () => {
  served = await serve({ apps: "obsius", script: SCRIPT, options: ["--vault", vault.folder] });
});
after(async () => {
  await served?.stop();
  vault.remove();
});

const change = (page, name) => page.getByRole("listitem").filter({ has: page.getByRole("checkbox", { name }) });

seen("a person sees the difference of each note and approves one of two", async ({ visit }) => {
  vault.fill();
  const thread = await served.run("obsius", REQUEST);
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("tab", { name: "Work", selected: true }).waitFor();
  await page.getByRole("list", { name: "Phases" }).getByText("execute").waitFor();
  const index = change(page, /new note `Machine learning\.md`/);
  await index.getByText("[[Gradient descent]]", { exact: false }).waitFor();
  const trees = change(page, /nets\/Trees\.md/);
  await trees.getByText(HARM, { exact: false }).waitFor();
  await trees.getByText("Decision trees are machine learning").waitFor();
  assert.equal(await page.locator(FORBIDDEN).count(), 0);
  assert.ok(!existsSync(vault.at("Machine learning.md")), "nothing is written before the review");
  await page.getByRole("checkbox", { name: /nets\/Trees\.md/ }).uncheck();
  // What was chosen is there after a reload.
  await page.reload();
  await page.getByRole("button", { name: "Approve 1 of 2 changes" }).click();
  await served.settled(thread, "idle");
  assert.equal(readFileSync(vault.at("Machine learning.md"), "utf8"), LINKS);
  assert.equal(readFileSync(vault.at("nets/Trees.md"), "utf8"), NOTES["nets/Trees.md"]);
  const changes = page.getByRole("region", { name: "Changes" });
  await changes.getByText("written", { exact: true }).waitFor();
  assert.equal(await changes.getByText("Trees.md").count(), 0);
});

seen("the plan with what confirms it, the memory and the actions are shown", async ({ visit }) => {
  vault.fill();
  const thread = await served.run("obsius", REQUEST);
  const page = await visit(served.studio(`#/threads/${thread}`));
  const plan = page.getByRole("region", { name: "Plan" });
  await plan.getByText("write an index of them").waitFor();
  await plan.getByText("“Machine learning” links to every found note").waitFor();
  await plan.getByText("all 3 found notes are linked", { exact: false }).waitFor();
  const memory = page.getByRole("list", { name: /^Working memory/ });
  await memory.getByText("observation").first().waitFor();
  const actions = page.getByRole("region", { name: "Actions" });
  await actions.getByText("create_note").click();
  await actions.getByText("Created `Machine learning.md`", { exact: false }).waitFor();
  await page.getByRole("region", { name: "Found notes" }).getByText("nets/Networks.md").waitFor();
});

seen("changes are refused with a reason by keyboard from the inbox, made again, and approved", async ({ visit }) => {
  vault.fill();
  const thread = await served.run("obsius", REQUEST);
  const page = await visit(served.studio(`#/inbox?thread=${thread}`));
  await page.getByLabel("Or say why not").focus();
  await page.keyboard.type("say more of them");
  await page.keyboard.press("Tab");
  const reject = page.getByRole("button", { name: "Reject, and have it done again" });
  await until(() => reject.evaluate((node) => node === document.activeElement), "it has the focus");
  await page.keyboard.press("Enter");
  await page.getByText("More of them.").waitFor();
  await page.getByRole("button", { name: "Approve all changes" }).focus();
  await page.keyboard.press("Enter");
  await served.settled(thread, "idle");
  assert.match(readFileSync(vault.at("Machine learning.md"), "utf8"), /More of them\./);
  assert.match(readFileSync(vault.at("nets/Trees.md"), "utf8"), /They split\./);
  const own = await visit(served.studio(`#/threads/${thread}`));
  await own.getByRole("list", { name: "Phases" }).getByText("iteration 2").waitFor();
  await own.getByRole("region", { name: "Changes" }).getByText("2 notes written").waitFor();
});

seen("with “Look only” the changes are for reading", async ({ visit }) => {
  vault.fill();
  const thread = await served.run("obsius", REQUEST);
  const page = await visit(served.studio(`#/threads/${thread}?tab=questions`));
  await page.getByRole("button", { name: "Approve all changes" }).waitFor();
  await page.getByRole("switch", { name: "Look only" }).check();
  await page.getByText("new note `Machine learning.md`", { exact: false }).first().waitFor();
  assert.equal(await page.getByRole("button", { name: /Approve|Reject/ }).count(), 0);
  assert.equal(await page.locator("main").getByRole("checkbox").count(), 0);
});
