// A text: its plan is edited and approved, it is watched, read with its sources and saved. The model answers by rules.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before } from "node:test";
import { open, saved } from "./exports.mjs";
import { seen, until } from "./page.mjs";
import { serve } from "./served.mjs";
import { corpus, GOAL, PASSAGE, SCRIPT, write as writeOn } from "./writing.mjs";

let served;
before(async () => {
  served = await serve({ apps: "writehere", script: SCRIPT, options: ["--corpus", corpus()] });
});
after(() => served?.stop());

const write = (review) => writeOn(served, review);
const tree = (page) => page.getByRole("tree", { name: /^Tasks/ });
const plan = (page) => page.getByRole("form", { name: /Review the plan/ });
const task = (page, name) => plan(page).getByRole("group", { name: `Task ${name}`, exact: true });
const finished = (page) => page.getByText("The text is finished").waitFor();

seen("a plan is changed before it is carried out, and what cannot be used is said at its field", async ({ visit }) => {
  const thread = await write("whole");
  const page = await visit(served.studio(`#/threads/${thread}`));
  assert.equal(await page.getByRole("tab", { name: "Text" }).getAttribute("aria-selected"), "true");
  await plan(page).getByText("The plan of the text").waitFor();
  await page.getByText("It waits for an answer").waitFor();
  const use = plan(page).getByRole("button", { name: "Use the changed plan" });
  assert.equal(await use.count(), 0, "nothing is changed yet");

  // By keyboard: the third task goes up by one, and those that wait for it still do.
  await task(page, "3").getByRole("textbox", { name: /^Goal/ }).focus();
  await page.keyboard.press("Alt+ArrowUp");
  await plan(page).getByText("Task 3 is now 2.").waitFor();
  await page.keyboard.press("End");
  await page.keyboard.type(", in short");
  assert.equal(
    await task(page, "2").getByRole("textbox", { name: /^Goal/ }).inputValue(),
    "Tell how SQLite writes its log, in short",
  );
  assert.ok(await task(page, "2").getByRole("checkbox", { name: "3", exact: true }).isChecked());

  // By mouse: the task that thinks is removed, and who waited for it says so.
  await task(page, "3").getByRole("button", { name: "Remove task 3" }).click();
  const waits = task(page, "2").getByText("It waits for a task that was removed");
  await waits.waitFor();
  await plan(page).getByRole("button", { name: "Add a task", exact: true }).click();
  await use.click();
  await task(page, "4").getByText("A task needs a goal.").waitFor();
  assert.equal(await served.settled(thread), "interrupted", "nothing was sent");

  // A reload keeps what was changed.
  await page.reload();
  await task(page, "4").waitFor();
  await task(page, "4").getByRole("button", { name: "Remove task 4" }).click();
  for (const name of ["2", "3"]) {
    const gone = task(page, name).getByRole("checkbox", { name: "a removed task" });
    if ((await gone.count()) > 0) await gone.click();
  }
  await waits.waitFor({ state: "detached" });
  await task(page, "2").getByRole("checkbox", { name: "1", exact: true }).check();
  await use.click();
  await finished(page);
  await tree(page).getByRole("treeitem", { name: /^Task 2: write, Tell how SQLite writes its log, in short, done/ }).waitFor();
  assert.equal(await tree(page).getByRole("treeitem").count(), 4);
  await page.getByText("4 of 4 tasks done").waitFor();
  await page.getByRole("tab", { name: "Questions" }).click();
  const given = page.getByRole("region", { name: "Answers that were given" });
  await given.getByText(`Review the plan: ${GOAL}`).waitFor();
});

seen("a circle is refused, all changes are undone, and a plan is accepted from the inbox", async ({ visit }) => {
  const thread = await write("whole");
  const page = await visit(served.studio(`#/inbox?thread=${thread}`));
  await page
    .getByRole("option", { name: new RegExp(`Review the plan: ${GOAL}`) })
    .first()
    .waitFor();
  await task(page, "1").getByRole("checkbox", { name: "4", exact: true }).check();
  await task(page, "1").getByText(/task 4 waits for it, directly or through others/).waitFor();
  await plan(page).getByRole("button", { name: "Undo all changes" }).click();
  await task(page, "1").getByText(/directly or through others/).waitFor({ state: "detached" });
  await plan(page).getByRole("button", { name: "Accept the plan" }).click();
  assert.equal(await served.settled(thread, "idle"), "idle");
  assert.equal((await served.state(thread)).values.status, "done");
});

seen("a changed plan in which something was put right is shown once more", async ({ visit }) => {
  const thread = await write("whole");
  const page = await visit(served.studio(`#/threads/${thread}?tab=questions`));
  await task(page, "3").getByRole("textbox", { name: "Length" }).fill("400 words");
  await plan(page).getByText(/420 of 40 words: all will be scaled/).waitFor();
  await plan(page).getByRole("button", { name: "Use the changed plan" }).click();
  await plan(page).getByText("Your plan, as it will be carried out").waitFor();
  await plan(page).getByText(/420 words, the task has 40/).waitFor();
  await plan(page).getByRole("button", { name: "Accept the plan" }).click();
  assert.equal(await served.settled(thread, "idle"), "idle");
});

seen("a plan without tasks lets the text be written as one piece", async ({ visit }) => {
  const thread = await write("whole");
  const page = await visit(served.studio(`#/threads/${thread}`));
  for (let left = 4; left > 0; left -= 1) await task(page, "1").getByRole("button", { name: "Remove task 1" }).click();
  await plan(page).getByText("the text is written as one piece").waitFor();
  await plan(page).getByRole("button", { name: "Use the changed plan" }).click();
  await finished(page);
  assert.equal(await tree(page).getByRole("treeitem").count(), 1);
});

seen("citations open their source, tasks what was done, and the text is saved", async ({ visit }) => {
  const page = await visit(served.studio(`#/threads/${await write("none")}`));
  await finished(page);
  const text = page.getByRole("article", { name: "The text" });
  await text.getByText("log[1]", { exact: true }).waitFor();
  await text.getByText("<img src=x").waitFor();
  const citation = text.getByRole("button", { name: /^Source 1: The write-ahead log/ });
  assert.equal(await citation.count(), 1, "a number in code is no citation");
  await citation.click();
  const source = page.getByRole("region", { name: "Source 1" });
  await source.getByText(PASSAGE).waitFor();
  await source.getByText("papers/wal.md").waitFor();
  assert.equal(await source.getByRole("link").count(), 0, "a file of the server is no link");
  await page.keyboard.press("Escape");
  await source.waitFor({ state: "detached" });
  assert.ok(await citation.evaluate((element) => element === document.activeElement), "focus is where it was");

  // The tree by keyboard: to the search, and from what it found to the source and back.
  await tree(page).focus();
  await page.keyboard.press("ArrowLeft");
  await until(async () => (await tree(page).getByRole("treeitem").count()) === 1, "the tree is folded");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const shown = page.getByRole("region", { name: "Task 1", exact: true });
  await shown.getByText("Find how SQLite writes its log").waitFor();
  await shown.getByRole("region", { name: "Calls of models" }).getByText("search_merge/search").waitFor();
  await shown.getByText(/It rests on \d passage/).click();
  await shown.getByRole("button", { name: "The write-ahead log", exact: true }).click();
  await source.getByText(PASSAGE).waitFor();
  await source.getByRole("button", { name: "Close" }).click();
  await shown.waitFor();
  const address = page.url();

  // The tree as a drawing, which is the one that the server makes.
  await page.getByRole("button", { name: "Drawing" }).click();
  const drawing = page.getByRole("img", { name: /^The tree of 5 tasks/ });
  await until(() => drawing.evaluate((image) => image.naturalWidth > 400), "the tree is drawn");
  const kept = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as SVG" }).click();
  const svg = readFileSync(await (await kept).path(), "utf8");
  assert.match(svg, /^<svg [^]*Find how SQLite writes its log[^]*FINISH[^]*<\/svg>\n$/);
  await page.getByRole("button", { name: "List" }).click();
  await tree(page).waitFor();

  await text.getByRole("button", { name: "By task" }).click();
  await text.getByRole("region", { name: "Part 4" }).getByText("written", { exact: true }).waitFor();
  await text.getByRole("region", { name: "Part 3" }).getByRole("button", { name: /^Source 1:/ }).waitFor();
  const download = page.waitForEvent("download");
  await text.getByRole("button", { name: "Save as Markdown" }).click();
  const saved = readFileSync(await (await download).path(), "utf8");
  assert.match(saved, /^# How a write-ahead log works\n[^]*\[1\][^]*## References\n\n\[1\] The write-ahead log/);

  const other = await visit(address);
  await other.getByRole("region", { name: "Task 1", exact: true }).waitFor();
});

seen("a text that is not finished says what is written and what is not", async ({ visit, afterwards }) => {
  const short = await serve({
    apps: "writehere",
    script: SCRIPT,
    options: ["--corpus", corpus(), "--budget", "calls=8"],
  });
  afterwards(() => short.stop());
  const thread = await writeOn(short);
  const page = await visit(short.studio(`#/threads/${thread}`));
  await page.getByText("It waits for an answer").waitFor();
  const text = page.getByRole("article", { name: "The text" });
  await text.getByText("As far as it is written").waitFor();
  await text.getByRole("region", { name: "Part 3" }).getByRole("button", { name: /^Source 1:/ }).waitFor();
  await text.getByRole("region", { name: "Part 4" }).getByText("not yet written").waitFor();
  await tree(page).getByRole("treeitem", { name: /^Task 4: .*, asks/ }).waitFor();
  await page.getByText(/^[23] of 5 tasks done$/).waitFor();
});

seen("who looks only sees a plan and cannot change it, and a saved export has the text", async ({ visit }) => {
  const asking = await visit(served.studio(`#/threads/${await write("whole")}`));
  await plan(asking).getByRole("button", { name: "Accept the plan" }).waitFor();
  await asking.getByRole("switch", { name: "Look only" }).check();
  await plan(asking).getByRole("button").first().waitFor({ state: "detached" });
  assert.ok(await task(asking, "1").getByRole("combobox").isDisabled());

  const page = await visit(served.studio(`#/threads/${await write("none")}`));
  const file = await saved(page);
  const elsewhere = await visit(served.studio("#/file"));
  await open(elsewhere, file);
  await finished(elsewhere);
  await elsewhere.getByRole("button", { name: /^Source 1: The write-ahead log/ }).first().click();
  await elsewhere.getByRole("region", { name: "Source 1" }).getByText(PASSAGE).waitFor();
});
