// Questions of runs, answered in their thread and in the inbox.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { between, everywhere } from "./between.mjs";
import { seen, until } from "./page.mjs";
import { serve } from "./served.mjs";

/** A schema for answers, which the questions of the demo graphs do not have. */
const SCHEMA = {
  type: "object",
  properties: {
    decision: { type: "string", enum: ["approve", "reject"] },
    days: { type: "integer", minimum: 1, maximum: 30 },
  },
  required: ["decision", "days"],
};

let served;
let typed;
before(async () => {
  served = await serve();
  // Every question gets the schema on its way to the page.
  typed = await between(served, (answer) => everywhere(answer, withSchema));
});
after(async () => {
  await typed?.stop();
  await served?.stop();
});

function withSchema(object) {
  const isInterrupt = typeof object.id === "string" && typeof object.value === "object" && object.value?.question;
  const isAsked = typeof object.interrupt_id === "string";
  return isInterrupt || isAsked ? { ...object, response_schema: SCHEMA } : object;
}

const openInbox = (page) => page.getByRole("region", { name: "Questions of the thread" });

seen("a question is answered in its thread by one press, and the run goes on", async ({ visit }) => {
  const thread = await served.run("approval", { request: "a roof" });
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("tab", { name: "Questions (1)" }).click();
  await page.getByText("Approve?").first().waitFor();
  await page.getByText("Draft for a roof").first().waitFor();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await served.settled(thread, "idle");
  assert.deepEqual((await served.state(thread)).values.log, ["draft", "review:approve", "publish"]);
  await page.getByText("No question is open.").waitFor();
  const given = page.getByRole("region", { name: "Answers that were given" });
  await given.getByText("approve").first().waitFor();
  await page.getByRole("tab", { name: "Graph" }).click();
  await page.getByRole("button", { name: /^publish\s*: done/ }).waitFor();
});

seen("a question is answered in words by keyboard alone, from the inbox", async ({ visit }) => {
  const thread = await served.run("chat_review", { messages: [{ role: "user", content: "a letter" }] });
  const page = await visit(served.studio("#/runs"));
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  await page.getByRole("link", { name: "Questions" }).focus();
  await page.keyboard.press("Enter");
  const list = page.getByRole("listbox", { name: /^Threads that wait/ });
  await list.getByText("Send?").first().waitFor();
  await list.focus();
  await page.keyboard.press("Enter");
  await openInbox(page).getByText("Reply to a letter").first().waitFor();
  await openInbox(page)
    .getByRole("button", { name: /^(Edit|Words) …$/ })
    .focus();
  await page.keyboard.press("Enter");
  await openInbox(page).getByRole("textbox").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("With words of my own");
  await openInbox(page).getByRole("button", { name: "Send the answer" }).focus();
  await page.keyboard.press("Enter");
  await served.settled(thread, "idle");
  assert.equal((await served.state(thread)).values.messages.at(-1).content, "With words of my own");
});

seen("an answer that does not fit its schema is refused at the field, and nothing is sent", async ({ visit }) => {
  const thread = await served.run("approval", { request: "a wall" });
  for (const view of [`#/threads/${thread}?tab=questions`, `#/inbox?thread=${thread}`]) {
    const page = await visit(typed.studio(view));
    const sent = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && /\/runs$|\/commands$/.test(request.url())) sent.push(request.url());
    });
    const days = page.getByRole("textbox", { name: /^days/ });
    await days.fill("31");
    await page.getByRole("combobox", { name: /^decision/ }).selectOption("approve");
    await page.getByRole("button", { name: "Send the answer" }).click();
    await until(async () => (await days.getAttribute("aria-invalid")) === "true", "the field is marked");
    await until(() => days.evaluate((node) => node === document.activeElement), "the field has the focus");
    const told = await days.evaluate((node) =>
      (node.getAttribute("aria-describedby") ?? "")
        .split(" ")
        .map((id) => document.getElementById(id)?.textContent ?? "")
        .join(" "),
    );
    assert.match(told, /30/);
    assert.deepEqual(sent, [], "nothing is sent");
  }
  const page = await visit(typed.studio(`#/threads/${thread}?tab=questions`));
  await page.getByRole("textbox", { name: /^days/ }).fill("3");
  await page.getByRole("combobox", { name: /^decision/ }).selectOption("approve");
  await page.getByRole("button", { name: "Send the answer" }).click();
  await served.settled(thread, "idle");
  assert.equal((await served.state(thread)).values.decision, "approve");
});

seen("several questions are answered at once, each with its own answer", async ({ visit }) => {
  const thread = await served.run("fanout", { names: ["ada", "bea", "cleo"], ask: true });
  const page = await visit(served.studio(`#/threads/${thread}?tab=questions`));
  const cards = page.getByRole("form");
  await until(async () => (await cards.count()) === 3, "three questions");
  const answers = ["one", "two", "three"];
  for (const [at, answer] of answers.entries()) {
    await cards
      .nth(at)
      .getByRole("button", { name: /^(Words|Edit) …$/ })
      .click();
    await cards.nth(at).getByRole("textbox").fill(answer);
  }
  const order = [];
  for (const at of answers.keys()) order.push(/ada|bea|cleo/.exec((await cards.nth(at).textContent()) ?? "")?.[0]);
  await page.getByRole("button", { name: "Send all 3 answers" }).click();
  await served.settled(thread, "idle");
  const results = (await served.state(thread)).values.results.slice(0, 3).toSorted();
  assert.deepEqual(results, order.map((name, at) => `${name}:${answers[at]}`).toSorted());
});

seen("a question of a graph inside is answered like any other", async ({ visit }) => {
  const thread = await served.run("nested", { text: "deep", ask: true });
  const page = await visit(served.studio(`#/threads/${thread}?tab=questions`));
  await page.getByText("Keep?").first().waitFor();
  await page.getByText("in child").first().waitFor();
  await page.getByRole("button", { name: /^(Words|Edit) …$/ }).click();
  await page.getByRole("form").getByRole("textbox").fill("!");
  await page.getByRole("button", { name: "Send the answer" }).click();
  await served.settled(thread, "idle");
  assert.equal((await served.state(thread)).values.text, "<DEEP!>");
});

seen("what was written and not sent is there after a reload", async ({ visit }) => {
  const thread = await served.run("chat_review", { messages: [{ role: "user", content: "a draft" }] });
  const page = await visit(served.studio(`#/threads/${thread}?tab=questions`));
  await page.getByRole("button", { name: /^(Edit|Words) …$/ }).click();
  await page.getByRole("form").getByRole("textbox").fill("half of an ans");
  await page.reload();
  await until(
    async () => (await page.getByRole("form").getByRole("textbox").inputValue()) === "half of an ans",
    "it is there",
  );
});
