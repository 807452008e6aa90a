// The view of research, on the program with a model that answers by rules and documents that the repository holds.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { heldModel } from "./held-model.mjs";
import { FORBIDDEN } from "./injections.mjs";
import { seen, until } from "./page.mjs";
import { accept, CORPUS, outlined, reported, research, SCRIPT } from "./researching.mjs";
import { serve } from "./served.mjs";

let served;
before(async () => {
  served = await serve({ apps: "deepsearch", script: SCRIPT, options: ["--corpus", CORPUS] });
});
after(() => served?.stop());

const stage = (page, told) =>
  page.getByRole("list", { name: "Stages" }).getByRole("listitem").filter({ hasText: told });
const sections = (page) => page.getByRole("list", { name: "Sections", exact: true });

seen("a person answers the questions, edits the outline without JSON, and gets the report", async ({ visit }) => {
  const thread = await research(served);
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("tab", { name: "Research", selected: true }).waitFor();
  await page.getByText("Which disk?").waitFor();
  await page.getByRole("button", { name: "Send the answer" }).click();
  await page.getByText("Say something, or begin without an answer.").waitFor();
  await page.getByLabel("Your answer").fill("A write-ahead log");
  await page.getByRole("button", { name: "Send the answer" }).click();

  const title = page.getByLabel("Title of the report");
  await title.waitFor();
  assert.equal(await title.inputValue(), "What a commit promises when the power fails");
  await title.fill("On commits");
  await page.getByLabel("Title of section 2").fill("The sync of the disk");
  await page.getByRole("button", { name: "Move section 2 up" }).click();
  assert.equal(await page.getByLabel("Title of section 1").inputValue(), "The sync of the disk");
  await page.getByRole("button", { name: "Add a section" }).click();
  await until(() => page.getByLabel("Title of section 3").evaluate((node) => node === document.activeElement), "focus");
  // What is not written yet is told where it is missing, and nothing is sent.
  await page.getByRole("button", { name: "Send my outline" }).click();
  await page.getByText("The section needs a title.").waitFor();
  await page.getByLabel("Title of section 3").fill("The end");
  await page.getByLabel("What section 3 is about").fill("How it ends");
  // What was written is there after a reload.
  await page.reload();
  await page.getByLabel("Title of section 3").waitFor();
  assert.equal(await page.getByLabel("Title of section 3").inputValue(), "The end");
  await page.getByRole("button", { name: "Send my outline" }).click();

  await page.getByText("3 sections", { exact: false }).first().waitFor();
  await page.getByRole("button", { name: "Accept the outline" }).click();
  await served.settled(thread, "idle", "error");
  const { runs, answers } = await given(thread);
  assert.equal(runs, 4);
  const sent = JSON.parse(answers.find((one) => one.interrupt_feedback === "revise_outline").feedback);
  assert.equal(sent.title, "On commits");
  assert.deepEqual(
    sent.sections.map(({ id, title: name }) => [id, name]),
    [
      ["1", "The sync of the disk"],
      ["2", "The log"],
      ["3", "The end"],
    ],
  );
  await stage(page, "Done: done").waitFor();
  await page.getByRole("tab", { name: "Sections (3 of 3)" }).click();
  await page.getByRole("heading", { name: "1. The sync of the disk" }).waitFor();
});

/** The answers that a thread was given. */
async function given(thread) {
  const runs = await served.ask("GET", `/threads/${thread}/runs?limit=20`);
  const answers = runs.flatMap(({ kwargs }) => Object.values(kwargs.command?.resume ?? {}));
  return { runs: runs.length, answers };
}

seen(
  "an outline is sent back with a comment from the inbox, by keyboard, and the next one is shown",
  async ({ visit }) => {
    const thread = await outlined(served);
    const page = await visit(served.studio(`#/inbox?thread=${thread}`));
    await page.getByLabel("Or say what to change").focus();
    await page.keyboard.type("less about the log");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await until(async () => (await page.getByLabel("Title of the report").inputValue()) === "Less of the log", "it is");
    const row = sections(page).getByRole("listitem");
    assert.equal(await row.count(), 1);
    // A research that is ended is asked about first.
    await page.getByRole("button", { name: "End without a report …" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave it" }).click();
    await page.getByRole("button", { name: "End without a report …" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End it" }).click();
    await served.settled(thread, "idle");
    await page.getByText("No question is open.").waitFor();
  },
);

seen("a citation opens its source with the passage and the verdict, and Esc leads back", async ({ visit }) => {
  const thread = await reported(served);
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("heading", { name: "What a commit promises when the power fails" }).waitFor();
  await page.getByText("✓ 23 supported").waitFor();
  const first = page.getByRole("button", { name: "Source 1: supported" }).first();
  await first.focus();
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary", { name: "Source 1" });
  await panel.getByText("Write-ahead logging and what it promises").waitFor();
  await panel.getByText("A write-ahead log keeps a transaction safe").first().waitFor();
  assert.match((await panel.locator("mark").textContent()) ?? "", /^A write-ahead log keeps a transaction safe/);
  assert.match(page.url(), /source=c0/);
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  await until(() => first.evaluate((node) => node === document.activeElement), "the focus is where it was");
  await page.getByRole("button", { name: "Source 2: not found in the source" }).first().click();
  await page.getByRole("complementary").getByText("not found in the source").waitFor();
  await page.getByRole("link", { name: "So a commit that has reached the disk survives" }).click();
  const conclusion = page.getByRole("complementary", { name: "Conclusion" });
  await conclusion.getByText("The log holds every change before the file is touched").waitFor();
  await until(() => conclusion.locator("img").evaluate((image) => image.naturalWidth > 100), "the drawing is there");
  await conclusion.getByRole("button", { name: "[2]" }).click();
  await page.getByRole("complementary", { name: "Source 2" }).waitFor();
  await page
    .getByRole("button", { name: /^No citation: the writer's own/ })
    .first()
    .click();
  await page.getByRole("complementary", { name: "Statement without a citation" }).waitFor();
  // The address leads there again.
  await page.reload();
  await page.getByRole("complementary", { name: "Statement without a citation" }).waitFor();
});

seen(
  "the sources of a report are seen as a graph, its charts with their data, and nothing in them runs",
  async ({ visit }) => {
    const thread = await reported(served);
    const page = await visit(served.studio(`#/threads/${thread}?part=provenance`));
    const cited = page.getByRole("region", { name: "Cited statements" });
    const statement = cited.getByRole("button", { name: /Nobody has counted/ });
    await statement.click();
    await page.getByRole("complementary", { name: "Cited statement" }).waitFor();
    const lit = () => page.locator(".provenance-nodes > li:not(.is-dim)").count();
    await until(async () => (await lit()) === 4, "the statement and its three sources");
    const lines = page.locator(".provenance-line:not(.is-dim)");
    assert.equal(await lines.count(), 3);
    await page.getByRole("tab", { name: "Charts (3)" }).click();
    await page.getByRole("img", { name: /^Chart: Time of a commit\./ }).waitFor();
    const pictures = page.locator("img.chart");
    for (const at of [0, 1, 2]) {
      await until(() => pictures.nth(at).evaluate((image) => image.naturalWidth > 100), "the chart is drawn");
    }
    await page.getByText("“The second log came in 2010.”").waitFor();
    // Titles of sources are text, and the only pictures are the charts.
    await page.getByText('<img src=x onerror="document.title=99">', { exact: false }).first().waitFor();
    assert.equal(
      await page.locator(FORBIDDEN).evaluateAll((all) => all.filter((node) => !node.matches(".chart")).length),
      0,
    );
  },
);

/** A section of the report. */
const section = (page, name) => {
  return page
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name }) })
    .first();
};

seen("while a section is written, its plan, its searches and its text as it grows are seen", async ({ visit, afterwards }) => {
  const held = await heldModel(SCRIPT, ["You write one section", "What it does"]);
  const slow = await serve({ apps: "deepsearch", model: held.model, options: ["--corpus", CORPUS] });
  afterwards(() => held.stop());
  afterwards(() => slow.stop());
  const thread = await outlined(slow);
  await accept(slow, thread, { begun: true });
  const page = await visit(slow.studio(`#/threads/${thread}`));
  await page.getByRole("tab", { name: "Sections (1 of 2)", selected: true }).waitFor();
  await stage(page, "Sections· under way").waitFor();
  const log = section(page, "1. The log");
  const work = log.getByRole("list", { name: "Work on the section" }).getByRole("listitem");
  assert.deepEqual(
    (await work.allTextContents()).map((text) => text.replace(/^\S+ /, "")),
    ["Plan: done", "Search: done", "Write: now", "Cite: not yet"],
  );
  await log.getByText("how a log works").waitFor();
  const searches = log.getByRole("list", { name: "Searches" });
  await searches.getByText("transaction log commit disk sync power").waitFor();
  await searches.getByText("3 documents").waitFor();
  const written = log.getByText("# The log ## 1.1 What it does A write-ahead log keeps a transaction safe");
  await written.waitFor();
  assert.equal(await log.getByText("a very longnamedsystem", { exact: false }).count(), 0, "that is not written yet");
  await section(page, "2. The sync").getByText("done", { exact: true }).first().waitFor();
  // Who comes meanwhile sees the same.
  await page.reload();
  await written.waitFor();
  held.release();
  await page.getByRole("heading", { name: "What a commit promises when the power fails" }).waitFor();
  await stage(page, "Done: done").waitFor();
  await page.getByRole("tab", { name: "Sections (2 of 2)" }).waitFor();
});

seen("sections show what was searched, found and written", async ({ visit }) => {
  const thread = await reported(served);
  const page = await visit(served.studio(`#/threads/${thread}?part=sections`));
  const card = section(page, "1. The log");
  await card.getByText("how a log works").waitFor();
  await card.getByText("transaction log commit disk sync power").waitFor();
  await card.getByText("3 documents found").click();
  await card.getByText("tests/page/corpus/logging.md", { exact: false }).first().waitFor();
  await card.getByText("The text of the section").click();
  await card.getByText("A write-ahead log keeps a transaction safe", { exact: false }).first().waitFor();
});

seen("with “Look only” the outline is for reading", async ({ visit }) => {
  const thread = await outlined(served);
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByLabel("Title of the report").waitFor();
  await page.getByRole("switch", { name: "Look only" }).check();
  await page.getByText("what is known about The log").waitFor();
  assert.equal(await page.getByRole("button", { name: /Accept|Add a section|Move|End without/ }).count(), 0);
  assert.equal(await page.getByLabel("Title of the report").count(), 0);
});

seen(
  "a passage of a report that is done is chosen and changed, its text written over, and the review finished",
  async ({ visit }) => {
    const thread = await reported(served, { user_feedback_processor_enable: true });
    const page = await visit(served.studio(`#/threads/${thread}`));
    const text = page.getByLabel("The report, with the marks of its citations");
    await page.getByText("No passage is chosen yet.").waitFor();
    await text.evaluate((area) => {
      const at = area.value.indexOf("After the log comes the sync.");
      area.focus();
      area.setSelectionRange(at, at + "After the log comes the sync.".length);
    });
    await page.getByText("Chosen, 29 characters: After the log comes the sync.").waitFor();
    await page.getByLabel("What you want of it, in your own words").fill("in one word");
    // Which of the buttons Enter would mean is not known, and the page says so.
    await page.getByLabel("What you want of it, in your own words").press("Enter");
    await page.getByText("Enter sends nothing here: press the button of what you want.").waitFor();
    await page.getByRole("button", { name: "Shorter" }).click();
    await until(async () => (await text.inputValue()).includes("Then the sync."), "the passage is shorter");
    const now = await text.inputValue();
    await text.fill(now.replace("Then the sync.", "Then comes the sync."));
    await page.getByRole("button", { name: "Save what I wrote" }).click();
    await page.getByRole("button", { name: "Finish without more changes" }).click();
    await served.settled(thread, "idle");
    await page.getByText("Then comes the sync.").first().waitFor();
    await stage(page, "Changes: done").waitFor();
  },
);
