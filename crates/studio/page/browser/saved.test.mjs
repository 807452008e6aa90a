// Threads as files, and looking without changing.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before } from "node:test";
import { open, saved } from "./exports.mjs";
import { INJECTIONS } from "./injections.mjs";
import { seen, until } from "./page.mjs";
import { serve } from "./served.mjs";

let served;
let other;
before(async () => {
  served = await serve();
  other = await serve();
});
after(async () => {
  await served?.stop();
  await other?.stop();
});

seen("a thread is saved as a file, and looked at where its server is not", async ({ visit }) => {
  const thread = await served.run("nested", { text: "to be kept", ask: true });
  const page = await visit(served.studio(`#/threads/${thread}`));
  const file = await saved(page);

  const elsewhere = await visit(other.studio("#/file"));
  const asked = [];
  elsewhere.on("request", (request) => {
    // The browser looks for the icon of the window whenever the address changes.
    if (!request.url().endsWith("/icon.svg")) asked.push(request.url());
  });
  await open(elsewhere, file);
  await elsewhere.getByRole("region", { name: "The saved export" }).waitFor();
  await elsewhere.getByRole("button", { name: /^prepare\s*: done/ }).waitFor();
  await elsewhere.getByRole("tab", { name: "Timeline" }).click();
  await elsewhere.getByRole("treeitem", { name: /^confirm/ }).waitFor();
  await elsewhere.getByRole("tab", { name: "State" }).click();
  await elsewhere.getByRole("region", { name: "text", exact: true }).getByText("to be kept").first().waitFor();
  await elsewhere.getByRole("tab", { name: "History" }).click();
  await until(
    async () =>
      (await elsewhere
        .getByRole("listbox", { name: /^Checkpoints/ })
        .getByRole("option")
        .count()) >= 3,
    "the history",
  );
  for (const name of ["Delete", "Copy thread", "Run again from here", "Edit state and fork", "Cancel"]) {
    assert.equal(await elsewhere.getByRole("button", { name, exact: true }).count(), 0, `${name} is not there`);
  }
  assert.deepEqual(asked, [], "nobody is asked for what the file has");
});

seen("a file that is none, and one that is cut, say what is wrong", async ({ visit }) => {
  const page = await visit(served.studio("#/file"));
  await open(page, Buffer.from("this is no export\n"));
  await page
    .getByRole("alert")
    .filter({ hasText: /cannot be opened/ })
    .waitFor();

  const thread = await served.run("pipeline", { topic: "cut" });
  const from = await visit(served.studio(`#/threads/${thread}`));
  const lines = readFileSync(await saved(from), "utf8")
    .trimEnd()
    .split("\n");
  await open(page, Buffer.from(`${lines.slice(0, -2).join("\n")}\n`));
  await page.getByText("Incomplete", { exact: true }).waitFor();
});

seen("texts in a file are texts", async ({ visit }) => {
  const thread = await served.run("fanout", { names: INJECTIONS, ask: false });
  const from = await visit(served.studio(`#/threads/${thread}`));
  const file = await saved(from);
  writeFileSync(file, readFileSync(file, "utf8").replaceAll('"worker"', JSON.stringify(INJECTIONS[1])));
  const page = await visit(other.studio("#/file"));
  await open(page, file);
  await page.getByRole("tab").first().waitFor();
  for (const name of ["Timeline", "State", "History"]) {
    await page.getByRole("tab", { name }).click();
    await page.waitForTimeout(300);
    assert.equal(await page.locator("main :is(img, iframe, script, svg script)").count(), 0);
  }
});

seen("while one looks only, no control changes anything, and no request does", async ({ visit }) => {
  const thread = await served.run("approval", { request: "to look at" });
  const page = await visit(served.studio(`#/threads/${thread}`));
  await page.getByRole("switch", { name: "Look only" }).check();
  const changes = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    const reads =
      request.method() === "GET" || /\/(search|count|history|events|checkpoint|namespaces|versions)$/.test(pathname);
    if (!reads) changes.push(`${request.method()} ${pathname}`);
  });
  const gone = ["Delete", "Copy thread", "Approve", "Reject", "Run again from here", "Edit state and fork"];
  for (const tab of [/^Questions/, "History", "Graph"]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.waitForTimeout(300);
    for (const name of gone) {
      const control = page.getByRole("button", { name, exact: true });
      for (const one of await control.all()) assert.ok(await one.isDisabled(), `${name} can be pressed`);
    }
  }
  assert.equal(await page.getByRole("link", { name: "Start", exact: true }).count(), 0);
  await page.reload();
  assert.ok(await page.getByRole("switch", { name: "Look only" }).isChecked(), "it is so after a reload");
  assert.deepEqual(changes, []);
  await page.getByRole("switch", { name: "Look only" }).uncheck();
  await page.getByRole("button", { name: "Delete", exact: true }).waitFor();
});
