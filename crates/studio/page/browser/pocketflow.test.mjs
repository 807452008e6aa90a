// The view of research conversations, on the program with documents of its own and a model that answers by rules.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { faultsOf, wider } from "./axe.mjs";
import { heldModel } from "./held-model.mjs";
import { FORBIDDEN, INJECTIONS } from "./injections.mjs";
import { seen, until } from "./page.mjs";
import { serve } from "./served.mjs";

const query = (text) => ({ text, rationale: "it is asked", aspect: "tides" });
const section = (heading, text) => ({ heading, text });
const SCRIPT = [
  { when: ["You plan literature searches", "shorter ones"], json: { queries: [query("neap tides")] } },
  { when: ["You plan literature searches", "injected"], json: { queries: INJECTIONS.slice(0, 4).map(query) } },
  { when: "You plan literature searches", json: { queries: [query("spring tides"), query("tides measured")] } },
  {
    when: ["You find what research leaves open", "broken tides"],
    // Both attempts of the node.
    times: 2,
    error: { error: "setup", message: "the model is out" },
  },
  { when: "You read scientific material", json: { claim: "Tides were measured.", limits: "One bay." } },
  {
    when: "You summarise what several records say",
    json: { themes: [{ name: "Measuring", summary: "It is measured.", records: [1] }] },
  },
  {
    when: "You find what research leaves open",
    json: { summary: "Little.", gap: "The long run.", why: "It matters.", evidence: [1] },
  },
  {
    when: ["You write research proposals", "more about cost"],
    json: { title: "What tides cost", sections: [section("Cost", "Little [1].")] },
  },
  {
    when: "You write research proposals",
    json: {
      title: "Tides in the long run",
      sections: [section("Background", "Measured [1]."), section("Method", "Measure *longer*.")],
    },
  },
  { when: "You answer a question", json: { answer: "Because of the moon." } },
];

let served;
let papers;
before(async () => {
  papers = mkdtempSync(join(tmpdir(), "studio-papers-"));
  for (const [name, words] of [
    ["springs.md", "spring tides"],
    ["neaps.md", "neap tides"],
  ]) {
    const text = `# On ${words}\n\nIn the bay the ${words} were measured for a year, twice a day.\n`;
    writeFileSync(join(papers, name), text);
  }
  served = await serve({ apps: "pocketflow", script: SCRIPT, options: ["--corpus", papers] });
});
after(async () => {
  await served?.stop();
  rmSync(papers, { recursive: true, force: true });
});

const chatOf = (page) => page.getByRole("region", { name: "Conversation", exact: true });
const thoughtsOf = (page) => page.getByRole("region", { name: "Thoughts", exact: true });
const underReview = (page, name) => chatOf(page).getByRole("region", { name });

async function conversation(topic) {
  return served.run("pocketflow", { message: topic });
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
  const box = page.getByLabel("What you say next");
  await box.fill("Why these tides?");
  await box.press("Enter");
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
  const thread = await conversation("tides");
  const page = await visit(served.studio(`#/threads/${thread}`));
  const box = page.getByLabel("What you say next");
  await box.fill("ok, drop the second one");
  await box.press("Enter");
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

seen("what failed is tried again by a press", async ({ visit }) => {
  const thread = await conversation("broken tides");
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("button", { name: "Approve and search" }).click();
  await chatOf(page).getByText("the model is out").waitFor();
  await thoughtsOf(page).getByText("action-failed").waitFor();
  await page.getByRole("button", { name: "Try again", exact: true }).click();
  await underReview(page, "Proposal under review, version 1").waitFor();
});

seen("while a turn is under way, what it does is told", async ({ visit }) => {
  const held = await heldModel(SCRIPT, "You read scientific material");
  const slow = await serve({ apps: "pocketflow", model: held.model, options: ["--corpus", papers] });
  try {
    const thread = await slow.run("pocketflow", { message: "tides" });
    const page = await visit(slow.studio(`#/threads/${thread}`));
    await page.getByLabel("What you say next").fill("and then?");
    await page.getByRole("button", { name: "Approve and search" }).click();
    const does = chatOf(page).getByRole("status").getByText("Search and read the literature");
    await does.waitFor();
    await thoughtsOf(page).getByText("searching: tides measured").waitFor();
    assert.ok(await page.getByRole("button", { name: "Say it" }).isDisabled(), "one thing is said at a time");
    assert.equal(await chatOf(page).getByText("/approve", { exact: true }).count(), 1);
    // Who comes meanwhile sees the same.
    const other = await visit(page.url());
    await chatOf(other).getByRole("status").getByText("Search and read the literature").waitFor();
    held.release();
    for (const one of [page, other]) {
      await underReview(one, "Proposal under review, version 1").waitFor();
      await chatOf(one).getByRole("status").waitFor({ state: "detached" });
    }
    assert.equal(await page.getByLabel("What you say next").inputValue(), "and then?");
  } finally {
    held.stop();
    await slow.stop();
  }
});

seen("whoever looks only sees all of it and says nothing", async ({ visit }) => {
  const thread = await conversation("tides");
  await served.run("pocketflow", { message: "/approve" }, { thread });
  const page = await visit(served.studio(`#/threads/${thread}`));
  const proposal = underReview(page, "Proposal under review, version 1");
  await proposal.getByRole("button", { name: "Approve and deliver" }).waitFor();
  await page.getByRole("switch", { name: "Look only" }).click();
  await proposal.getByRole("button", { name: "Approve and deliver" }).waitFor({ state: "detached" });
  await proposal.getByRole("heading", { name: "Tides in the long run" }).waitFor();
  assert.equal(await page.getByLabel("What you say next").count(), 0);
});

seen("a saved conversation shows what was said, thought, found and made", async ({ visit }) => {
  const thread = await conversation("tides");
  await served.run("pocketflow", { message: "/approve" }, { thread });
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.addInitScript(() => delete window.showSaveFilePicker);
  await page.reload();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const buffer = readFileSync(await (await download).path());

  await page.goto(served.studio("#/file"));
  const file = { name: "thread.jsonl", mimeType: "application/x-ndjson", buffer };
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByRole("region", { name: "The saved export" }).waitFor();
  await underReview(page, "Proposal under review, version 1").getByText("Measure longer.").waitFor();
  await thoughtsOf(page).getByText("searching: tides measured").waitFor();
  await thoughtsOf(page).getByText("The long run.", { exact: true }).waitFor();
  await thoughtsOf(page).getByText("proposal.md").waitFor();
  assert.equal(await page.getByLabel("What you say next").count(), 0);
  assert.equal(await page.getByRole("button", { name: /^(Approve|Make it|Save )/ }).count(), 0);
});

seen("what the model wrote is shown as text", async ({ visit }) => {
  const thread = await conversation(`injected ${INJECTIONS[1]}`);
  const page = await visit(served.studio(`#/threads/${thread}`));
  const queries = underReview(page, "Queries under review, version 1");
  await queries.getByLabel("Query 1", { exact: true }).waitFor();
  await chatOf(page).getByRole("button", { name: "Show the message" }).click();
  assert.equal(await page.locator(FORBIDDEN).count(), 0);
});

seen("two who look at one conversation both see where it stands", async ({ visit }) => {
  const thread = await conversation("tides");
  const [one, other] = [
    await visit(served.studio(`#/threads/${thread}`)),
    await visit(served.studio(`#/threads/${thread}`)),
  ];
  await underReview(other, "Queries under review, version 1").waitFor();
  await underReview(one, "Queries under review, version 1").getByRole("button", { name: "Approve and search" }).click();
  for (const page of [one, other]) await underReview(page, "Proposal under review, version 1").waitFor();
});

for (const [colorScheme, width] of [
  ["light", 1280],
  ["dark", 390],
]) {
  seen(`the view is without a fault in ${colorScheme}, ${width} px wide`, async ({ visit }) => {
    const reviewed = await conversation("tides");
    const asked = await conversation("tides");
    await served.run("pocketflow", { message: "ok, drop the second one" }, { thread: asked });
    const proposed = await conversation("tides");
    await served.run("pocketflow", { message: "/approve" }, { thread: proposed });
    const done = await conversation("tides");
    for (const message of ["/approve", "/approve"]) await served.run("pocketflow", { message }, { thread: done });
    const faults = [];
    for (const [name, thread] of Object.entries({ reviewed, asked, proposed, done })) {
      const page = await visit(served.studio(`#/threads/${thread}`), { colorScheme, viewport: { width, height: 844 } });
      await chatOf(page).getByRole("listitem").first().waitFor();
      // All that is folded is looked at as well.
      await page.waitForTimeout(300);
      await page.evaluate(() => document.querySelectorAll(".pf details").forEach((part) => (part.open = true)));
      if (name === "proposed") await page.getByRole("button", { name: "Change section 1" }).click();
      for (const fault of await faultsOf(page)) faults.push(`${name}: ${fault}`);
      if ((await wider(page)) > 0) faults.push(`${name}: it is ${await wider(page)} px wider than the window`);
      await page.context().close();
    }
    assert.deepEqual(faults, []);
  });
}
