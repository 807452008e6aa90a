// Texts of models, users and tools are data: whatever they hold, nothing runs, nobody is asked, and they can be read.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { between, everywhere } from "./between.mjs";
import { FORBIDDEN, INJECTIONS, LONG, words } from "./injections.mjs";
import { seen, until } from "./page.mjs";
import { serve } from "./served.mjs";

let served;
let told;
before(async () => {
  served = await serve();
  // The demo graph tells numbers: on their way to the page each becomes one of the texts.
  told = await between(served, (answer) =>
    everywhere(answer, (object) => (typeof object.tick === "number" ? { tick: INJECTIONS[object.tick - 1] } : object)),
  );
});
after(async () => {
  await told?.stop();
  await served?.stop();
});

/** Looks at every tab of a thread, touches what can be touched, and finds nothing made of the texts. */
async function harmless(page) {
  await page.getByRole("tab").first().waitFor();
  const names = await page.getByRole("tab").allTextContents();
  for (const name of names) {
    await page.getByRole("tab", { name, exact: true }).click();
    await until(async () => ((await page.getByRole("tabpanel").textContent()) ?? "") !== "", `${name} shows something`);
    await page.waitForTimeout(300);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
      for (const part of document.querySelectorAll("main *")) {
        for (const type of ["mouseover", "mouseenter", "focus", "load", "error"]) part.dispatchEvent(new Event(type));
      }
    });
    assert.equal(await page.locator(FORBIDDEN).count(), 0, `${name}: nothing is made of the texts`);
    const title = await page.title();
    assert.ok(!title.includes("a title"), "the window keeps its title");
  }
}

/** Every text that the page shows, with what is in its fields. */
function shown(page) {
  return page.evaluate(() => {
    const fields = [...document.querySelectorAll("main :is(input, textarea)")].map((field) => field.value);
    return `${document.querySelector("main").textContent}\n${fields.join("\n")}`;
  });
}

function reads(text, injection) {
  const missing = words(injection).filter((word) => !text.includes(word));
  assert.deepEqual(missing, [], `${JSON.stringify(injection)} can be read`);
}

seen("texts as messages", async ({ visit }) => {
  const messages = INJECTIONS.map((content) => ({ role: "user", content }));
  const thread = await served.run("echo_chat", { messages });
  const page = await visit(served.studio(`#/threads/${thread}?tab=state`));
  await page.getByText("canary").first().waitFor();
  const text = await shown(page);
  for (const injection of INJECTIONS) reads(text, injection);
  await harmless(page);
});

seen("texts as input and state", async ({ visit }) => {
  const thread = await served.run("fanout", { names: INJECTIONS, ask: false });
  const page = await visit(served.studio(`#/threads/${thread}?tab=state`));
  await page.getByText("canary").first().waitFor();
  await harmless(page);
});

seen("texts in questions, their answers and the inbox", async ({ visit }) => {
  const thread = await served.run("fanout", { names: INJECTIONS, ask: true });
  const page = await visit(served.studio(`#/threads/${thread}?tab=questions`));
  await page.getByText("canary").first().waitFor();
  const text = await shown(page);
  for (const injection of INJECTIONS) reads(text, injection);
  await harmless(page);
  await page.goto(served.studio("#/inbox"));
  await page
    .getByRole("listbox", { name: /^Threads that wait/ })
    .getByRole("option")
    .first()
    .click();
  await page.getByRole("region", { name: "Questions of the thread" }).getByText("canary").first().waitFor();
  assert.equal(await page.locator(FORBIDDEN).count(), 0, "nothing is made of the texts");
});

seen("texts that nodes tell while they work", async ({ visit }) => {
  const thread = await served.run("ticker", { n: INJECTIONS.length, delay_ms: 0 });
  const page = await visit(told.studio(`#/threads/${thread}?tab=timeline`));
  await page.getByRole("treeitem").first().waitFor();
  await harmless(page);
});

seen("texts in errors, metadata and the run list", async ({ visit }) => {
  for (const text of INJECTIONS) {
    await served.run("pipeline", { topic: text }, { metadata: { title: text, [text]: text } });
  }
  const page = await visit(served.studio("#/runs"));
  await page.getByRole("grid").getByText("canary").first().waitFor();
  assert.equal(await page.locator(FORBIDDEN).count(), 0, "nothing is made of the texts");
});

seen("a line of 100 kB neither hides the page nor holds it up", async ({ visit }) => {
  const thread = await served.run("pipeline", { topic: LONG });
  const page = await visit(served.studio(`#/threads/${thread}?tab=state`));
  await page.getByText("longlong").first().waitFor();
  await harmless(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} px wider than its window`);
});

seen("texts in the address are texts", async ({ visit }) => {
  for (const text of INJECTIONS) {
    const page = await visit(
      served.studio(`#/${encodeURIComponent(text)}/${encodeURIComponent(text)}?tab=${encodeURIComponent(text)}`),
    );
    await page.locator("main").waitFor();
    assert.equal(await page.locator(FORBIDDEN).count(), 0, "nothing is made of the address");
    await page.context().close();
  }
});
