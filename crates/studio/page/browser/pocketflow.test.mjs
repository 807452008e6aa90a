// The view of research conversations, on the program with documents of its own and a model that answers by rules.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { conversation, papers, READS, SCRIPT } from "./conversing.mjs";
import { open, saved } from "./exports.mjs";
import { heldModel } from "./held-model.mjs";
import { FORBIDDEN, INJECTIONS } from "./injections.mjs";
import { holdBack, seen, until } from "./page.mjs";
import { serve } from "./served.mjs";
import { talking } from "./talking.mjs";

const documents = papers();
const options = ["--corpus", documents.folder];
let served;
before(async () => {
  served = await serve({ apps: "pocketflow", script: SCRIPT, options });
});
after(async () => {
  await served?.stop();
  documents.remove();
});

const chatOf = (page) => page.getByRole("region", { name: "Conversation", exact: true });
const thoughtsOf = (page) => page.getByRole("region", { name: "Thoughts", exact: true });
const underReview = (page, name) => chatOf(page).getByRole("region", { name });

/** Says this by the keyboard. */
async function sayByEnter(page, text) {
  const box = page.getByLabel("What you say next");
  await box.fill(text);
  await box.press("Enter");
}

seen("a conversation goes from a topic to the exports, with the mouse and the keyboard", async ({ visit }) => {
  const page = await visit(served.studio("#/start/pocketflow"));
  await page.getByLabel("message", { exact: true }).fill("tides");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/threads\//);

  const queries = underReview(page, "Queries under review, version 1");
  await queries.getByLabel("Query 1", { exact: true }).waitFor();
  await thoughtsOf(page).getByText("The first message of a journey is its topic.").waitFor();
  await queries.getByLabel("Query 2", { exact: true }).fill("tides measured twice");
  await queries.getByRole("button", { name: "Remove query 1" }).click();
  await queries.getByRole("button", { name: "Add a query" }).click();
  await queries.getByLabel("Added query 1").fill("neap tides");
  await queries.getByRole("button", { name: "Change the queries" }).click();

  const changed = underReview(page, "Queries under review, version 2");
  await changed.getByLabel("Query 2", { exact: true }).waitFor();
  assert.equal(await changed.getByLabel("Query 1", { exact: true }).inputValue(), "tides measured twice");
  assert.equal(await changed.getByLabel("Query 2", { exact: true }).inputValue(), "neap tides");
  await changed.getByRole("button", { name: "Approve and search" }).click();

  const proposal = underReview(page, "Proposal under review, version 1");
  await proposal.getByRole("heading", { name: "Tides in the long run" }).waitFor();
  await proposal.getByRole("button", { name: "Reference 1" }).click();
  assert.match((await page.locator(":focus").textContent()) ?? "", /On (spring|neap) tides/);
  await thoughtsOf(page).getByText("searching: neap tides").waitFor();
  await thoughtsOf(page).getByText("The long run.", { exact: true }).waitFor();
  await thoughtsOf(page).getByText("Literature", { exact: true }).click();
  await thoughtsOf(page).getByText("Tides were measured.").first().waitFor();
  await thoughtsOf(page).getByText("“neap tides”").waitFor();

  await proposal.getByRole("button", { name: "Change section 2" }).click();
  await proposal.getByLabel("Text of section 2").fill("Measure longer;\n\nmuch longer.");
  await proposal.getByRole("button", { name: "Say this change" }).click();
  const second = underReview(page, "Proposal under review, version 2");
  await second.getByText("much longer.").waitFor();

  // A question in the person's own words changes nothing.
  await sayByEnter(page, "Why these tides?");
  await chatOf(page).getByText("Because of the moon.").waitFor();
  await second.getByLabel("What is wrong").fill("say more about cost");
  await second.getByRole("button", { name: "Make it again" }).click();
  const third = underReview(page, "Proposal under review, version 3");
  await third.getByRole("heading", { name: "What tides cost" }).waitFor();
  await third.getByRole("button", { name: "Approve and deliver" }).click();
  await chatOf(page).getByText("The proposal is done.").waitFor();

  const download = page.waitForEvent("download");
  await thoughtsOf(page).getByRole("button", { name: "Save references.bib" }).click();
  assert.equal((await download).suggestedFilename(), "references.bib");
  // A reload shows the same.
  await page.reload();
  await chatOf(page).getByText("The proposal is done.").waitFor();
  await thoughtsOf(page).getByText("The proposal is approved.").waitFor();
});

seen("a reply that is only probably understood is confirmed by a press, or declined", async ({ visit }) => {
  const thread = await conversation(served, "tides");
  const page = await visit(served.studio(`#/threads/${thread}`));
  const box = page.getByLabel("What you say next");
  await sayByEnter(page, "ok, drop the second one");
  const asks = chatOf(page).getByText("I take this as: take out number 2. Is that right?", { exact: true });
  await asks.waitFor();
  await page.getByRole("button", { name: "No, change nothing" }).click();
  await underReview(page, "Queries under review, version 1").getByLabel("Query 2", { exact: true }).waitFor();
  await box.fill("ok, drop the second one");
  await page.getByRole("button", { name: "Say it" }).click();
  await asks.waitFor();
  await page.getByRole("button", { name: "Yes", exact: true }).click();
  const changed = underReview(page, "Queries under review, version 2");
  await changed.getByLabel("Query 1", { exact: true }).waitFor();
  assert.equal(await changed.getByLabel("Query 2", { exact: true }).count(), 0);

  await changed.getByLabel("What is wrong").fill("shorter ones");
  await changed.getByRole("button", { name: "Make it again" }).click();
  const again = underReview(page, "Queries under review, version 3");
  const query = again.getByLabel("Query 1", { exact: true });
  await until(async () => (await query.inputValue()) === "neap tides", "other queries");
  await again.getByRole("button", { name: "End this journey" }).click();
  await page.getByLabel("New topic").fill("ebbs and floods");
  await page.getByRole("button", { name: "Begin a new journey" }).click();
  await underReview(page, "Queries under review, version 1").getByLabel("Query 1", { exact: true }).waitFor();
  await chatOf(page).getByText("new topic: ebbs and floods").waitFor();
});

for (const [by, send] of [
  ["Enter", (page) => page.getByLabel("What you say next").press("Enter")],
  ["a press", (page) => page.getByRole("button", { name: "Say it" }).click()],
]) {
  seen(`what ${by} sends before the question is known waits for it, and is sent then`, async ({ visit }) => {
    const thread = await conversation(served, "tides");
    const page = await visit(served.studio("#/runs"));
    const release = await holdBack(page, "**/state");
    await page.goto(served.studio(`#/threads/${thread}`));
    const box = page.getByLabel("What you say next");
    await box.fill("ok, drop the second one");
    await send(page);
    const waits = chatOf(page).getByText("Sent as soon as the question is here.");
    await waits.waitFor();
    await page.getByRole("button", { name: "Do not send it" }).click();
    await waits.waitFor({ state: "detached" });
    await send(page);
    await waits.waitFor();
    assert.equal(await box.inputValue(), "ok, drop the second one");
    assert.equal((await served.ask("GET", `/threads/${thread}/runs`)).length, 1, "nothing is sent yet");
    release();
    await chatOf(page).getByText("I take this as: take out number 2. Is that right?", { exact: true }).waitFor();
    await waits.waitFor({ state: "detached" });
    assert.equal(await box.inputValue(), "");
    assert.equal((await served.ask("GET", `/threads/${thread}/runs`)).length, 2, "it is sent once");
  });
}

seen("what failed is tried again by a press", async ({ visit }) => {
  const thread = await conversation(served, "broken tides");
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("button", { name: "Approve and search" }).click();
  await chatOf(page).getByText("the model is out").waitFor();
  await thoughtsOf(page).getByText("action-failed").waitFor();
  await page.getByRole("button", { name: "Try again", exact: true }).click();
  await underReview(page, "Proposal under review, version 1").waitFor();
});

seen("while a turn is under way, what it does is told", async ({ visit, afterwards }) => {
  const held = await heldModel(SCRIPT, READS);
  const slow = await serve({ apps: "pocketflow", model: held.model, options });
  afterwards(() => held.stop());
  afterwards(() => slow.stop());
  const thread = await slow.run("pocketflow", { message: "tides" });
  const page = await visit(slow.studio(`#/threads/${thread}`));
  await page.getByLabel("What you say next").fill("and then?");
  await page.getByRole("button", { name: "Approve and search" }).click();
  const does = chatOf(page).getByRole("status").getByText("Search and read the literature");
  await does.waitFor();
  await thoughtsOf(page).getByText("searching: tides measured").waitFor();
  await until(() => page.getByRole("button", { name: "Say it" }).isDisabled(), "one thing is said at a time");
  await page.getByLabel("What you say next").press("Enter");
  const why = chatOf(page).getByText("A turn is under way: this can be said when it has ended.");
  await why.waitFor();
  assert.equal(await chatOf(page).getByText("/approve", { exact: true }).count(), 1);
  // Who comes meanwhile sees the same.
  const other = await visit(page.url());
  await chatOf(other).getByRole("status").getByText("Search and read the literature").waitFor();
  held.release();
  for (const one of [page, other]) {
    await underReview(one, "Proposal under review, version 1").waitFor();
    await chatOf(one).getByRole("status").first().waitFor({ state: "detached" });
  }
  await why.waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("What you say next").inputValue(), "and then?");
});

seen("whoever looks only sees all of it and says nothing", async ({ visit }) => {
  const thread = await conversation(served, "tides", "/approve");
  const page = await visit(served.studio(`#/threads/${thread}`));
  const proposal = underReview(page, "Proposal under review, version 1");
  await proposal.getByRole("button", { name: "Approve and deliver" }).waitFor();
  await page.getByRole("switch", { name: "Look only" }).click();
  await proposal.getByRole("button", { name: "Approve and deliver" }).waitFor({ state: "detached" });
  await proposal.getByRole("heading", { name: "Tides in the long run" }).waitFor();
  assert.equal(await page.getByLabel("What you say next").count(), 0);
});

seen("a saved conversation shows what was said, thought, found and made", async ({ visit }) => {
  const thread = await conversation(served, "tides", "/approve");
  const page = await visit(served.studio(`#/threads/${thread}`));
  const file = await saved(page);
  await page.goto(served.studio("#/file"));
  await open(page, file);
  await page.getByRole("region", { name: "The saved export" }).waitFor();
  await underReview(page, "Proposal under review, version 1").getByText("Measure longer.").waitFor();
  await thoughtsOf(page).getByText("searching: tides measured").waitFor();
  await thoughtsOf(page).getByText("The long run.", { exact: true }).waitFor();
  await thoughtsOf(page).getByText("proposal.md").waitFor();
  assert.equal(await page.getByLabel("What you say next").count(), 0);
  assert.equal(await page.getByRole("button", { name: /^(Approve|Make it|Save )/ }).count(), 0);
});

seen("what the model wrote is shown as text", async ({ visit }) => {
  const thread = await conversation(served, `injected ${INJECTIONS[1]}`);
  const page = await visit(served.studio(`#/threads/${thread}`));
  const queries = underReview(page, "Queries under review, version 1");
  await queries.getByLabel("Query 1", { exact: true }).waitFor();
  await chatOf(page).getByRole("button", { name: "Show the message" }).click();
  assert.equal(await page.locator(FORBIDDEN).count(), 0);
});

seen("two who look at one conversation both see where it stands", async ({ visit }) => {
  const thread = await conversation(served, "tides");
  const [one, other] = [
    await visit(served.studio(`#/threads/${thread}`)),
    await visit(served.studio(`#/threads/${thread}`)),
  ];
  await underReview(other, "Queries under review, version 1").waitFor();
  await underReview(one, "Queries under review, version 1").getByRole("button", { name: "Approve and search" }).click();
  for (const page of [one, other]) await underReview(page, "Proposal under review, version 1").waitFor();
});

seen("a conversation of the program at the terminal is held in the page", async ({ visit, afterwards }) => {
  const program = await talking(["chat", "held", ...options], SCRIPT);
  afterwards(async () => assert.equal(await program.interrupted(), 3, "it waits for a verdict"));
  const page = await visit(program.link);
  await sayByEnter(page, "tides");
  const queries = underReview(page, "Queries under review, version 1");
  await queries.waitFor();
  // The question is one of the run, of which the events tell.
  const release = await holdBack(page, "**/stream/events");
  await page.reload();
  await sayByEnter(page, "Why these tides?");
  await chatOf(page).getByText("Sent as soon as the question is here.").waitFor();
  assert.equal(await chatOf(page).getByText("Why these tides?").count(), 0);
  release();
  await chatOf(page).getByText("Because of the moon.").waitFor();
  await queries.getByRole("button", { name: "Approve and search" }).click();
  await underReview(page, "Proposal under review, version 1").waitFor();
  await until(() => /# Tides in the long run/.test(program.said()), "the terminal says what the page says");
  assert.match(program.said(), /1\. spring tides/);
});
