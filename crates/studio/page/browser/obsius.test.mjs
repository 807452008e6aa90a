// The view of work on a vault, on the program with a vault of its own and a model that answers by rules.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { FORBIDDEN } from "./injections.mjs";
import { seen, until } from "./page.mjs";
import { serve } from "./served.mjs";

const NOTES = {
  "Gradient descent.md":
    "---\ntags: [machine-learning]\n---\nGradient descent is how machine learning models are trained.\n",
  "nets/Networks.md": "# Neural networks\n\nNetworks are a kind of machine learning. See [[Gradient descent]].\n",
  "nets/Trees.md": "Decision trees are machine learning without gradients.\n",
  "Soup.md": "Soup is made of water.\n",
};
const HARM = '<img src=x onerror="canary(1)">';
const action = (id, tool, args) => ({ id, tool, arguments: JSON.stringify(args), depends_on: [], subtask: "2" });
const index = (text) => ({
  answer: null,
  actions: [
    action("a", "create_note", { title: "Machine learning", content: text }),
    action("b", "update_note", { path: "nets/Trees.md", operation: "append", content: `They split. ${HARM}\n` }),
  ],
});
const LINKS = "# Machine learning\n\n- [[Gradient descent]]\n- [[Networks]]\n- [[Trees]]\n";
const subtask = (goal, kind, ...before) => ({ goal, kind, depends_on: before, criteria: [] });
const SCRIPT = [
  {
    when: "You plan work on a person's notes",
    json: {
      ...{ keywords: ["machine", "learning"], title: "Machine learning", answer: null },
      subtasks: [subtask("find the notes", "search"), subtask("write an index of them", "create", "1")],
    },
  },
  { when: ["You carry out a plan", "say more of them"], json: index(`${LINKS}\nMore of them.\n`) },
  { when: "You carry out a plan", json: index(LINKS) },
  { when: "You judge whether work", json: { judgements: [], complete: true, reason: "done", confidence: 0.9 } },
];
const REQUEST = "Create an index note of all notes about machine learning, with links, and say in Trees what they do";

let served;
let folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "studio-vault-"));
  fill();
  served = await serve({ apps: "obsius", script: SCRIPT, options: ["--vault", join(folder, "vault")] });
});
after(async () => {
  await served?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Puts the notes into the vault as they are at first. */
function fill() {
  const vault = join(folder, "vault");
  rmSync(vault, { recursive: true, force: true });
  for (const [path, text] of Object.entries(NOTES)) {
    mkdirSync(join(vault, path, ".."), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
}

const noteAt = (path) => join(folder, "vault", path);
const change = (page, name) => page.getByRole("listitem").filter({ has: page.getByRole("checkbox", { name }) });

seen("a person sees the difference of each note and approves one of two", async ({ visit }) => {
  fill();
  const thread = await served.run("obsius", { request: REQUEST });
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("tab", { name: "Work", selected: true }).waitFor();
  await page.getByRole("list", { name: "Phases" }).getByText("execute").waitFor();
  const index = change(page, /new note `Machine learning\.md`/);
  await index.getByText("[[Gradient descent]]", { exact: false }).waitFor();
  const trees = change(page, /nets\/Trees\.md/);
  await trees.getByText(HARM, { exact: false }).waitFor();
  await trees.getByText("Decision trees are machine learning").waitFor();
  assert.equal(await page.locator(FORBIDDEN).count(), 0);
  assert.ok(!existsSync(noteAt("Machine learning.md")), "nothing is written before the review");
  await page.getByRole("checkbox", { name: /nets\/Trees\.md/ }).uncheck();
  // What was chosen is there after a reload.
  await page.reload();
  await page.getByRole("button", { name: "Approve 1 of 2 changes" }).click();
  await served.settled(thread, "idle");
  assert.equal(readFileSync(noteAt("Machine learning.md"), "utf8"), LINKS);
  assert.equal(readFileSync(noteAt("nets/Trees.md"), "utf8"), NOTES["nets/Trees.md"]);
  const changes = page.getByRole("region", { name: "Changes" });
  await changes.getByText("written", { exact: true }).waitFor();
  assert.equal(await changes.getByText("Trees.md").count(), 0);
});

seen("the plan with what confirms it, the memory and the actions are shown", async ({ visit }) => {
  fill();
  const thread = await served.run("obsius", { request: REQUEST });
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
  fill();
  const thread = await served.run("obsius", { request: REQUEST });
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
  assert.match(readFileSync(noteAt("Machine learning.md"), "utf8"), /More of them\./);
  assert.match(readFileSync(noteAt("nets/Trees.md"), "utf8"), /They split\./);
  const own = await visit(served.studio(`#/threads/${thread}`));
  await own.getByRole("list", { name: "Phases" }).getByText("iteration 2").waitFor();
  await own.getByRole("region", { name: "Changes" }).getByText("2 notes written").waitFor();
});

seen("with “Look only” the changes are for reading", async ({ visit }) => {
  fill();
  const thread = await served.run("obsius", { request: REQUEST });
  const page = await visit(served.studio(`#/threads/${thread}?tab=questions`));
  await page.getByRole("button", { name: "Approve all changes" }).waitFor();
  await page.getByRole("switch", { name: "Look only" }).check();
  await page.getByText("new note `Machine learning.md`", { exact: false }).first().waitFor();
  assert.equal(await page.getByRole("button", { name: /Approve|Reject/ }).count(), 0);
  assert.equal(await page.locator("main").getByRole("checkbox").count(), 0);
});
