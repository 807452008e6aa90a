// The documents of a thread: listed, read, copied and saved, with a key where the server wants one.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { FORBIDDEN, INJECTIONS } from "./injections.mjs";
import { seen, until } from "./page.mjs";
import { serve } from "./served.mjs";

const KEY = "0123456789abcdef-documents";
const TITLE = `Tides ${INJECTIONS[1]}`;
const SCRIPT = [
  { when: "You plan literature searches", json: { queries: [{ text: "tides", rationale: "", aspect: "" }] } },
  { when: "You read scientific material", json: { claim: "Tides were measured.", limits: "" } },
  {
    when: "You summarise what several records say",
    json: { themes: [{ name: "Measuring", summary: "It is measured.", records: [1] }] },
  },
  { when: "You find what research leaves open", json: { summary: "", gap: "The long run.", why: "", evidence: [1] } },
  {
    when: "You write research proposals",
    json: { title: TITLE, sections: [{ heading: "Method", text: "Measure **longer** [1]." }] },
  },
];

let served;
let papers;
let thread;
before(async () => {
  papers = mkdtempSync(join(tmpdir(), "studio-papers-"));
  writeFileSync(join(papers, "tides.md"), "# On tides\n\nIn the bay the tides were measured for a year.\n");
  served = await serve({ apps: "pocketflow", script: SCRIPT, options: ["--corpus", papers], key: KEY });
  thread = await served.run("pocketflow", { message: "tides" });
  await served.run("pocketflow", { message: "/approve" }, { thread });
});
after(async () => {
  await served?.stop();
  rmSync(papers, { recursive: true, force: true });
});

/** The page of the thread with the key, which a new tab does not have. */
async function withKey(visit, tab, options) {
  const page = await visit(served.studio(`#/threads/${thread}?tab=${tab}`), options);
  // On a narrow screen the key is asked for from the menu.
  if ((options?.viewport?.width ?? 1280) < 600) await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: "Key", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Key", { exact: true }).fill(KEY);
  await dialog.getByRole("button", { name: "Use it" }).click();
  return page;
}

const mayFail = /Failed to load resource: .* 401/;

seen(
  "a document is read as what it is and as its text, by an address of its own",
  async ({ visit }) => {
    const page = await withKey(visit, "documents");
    await page.getByRole("button", { name: "proposal.md", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "proposal.md" });
    await dialog.locator("strong", { hasText: "longer" }).waitFor();
    assert.equal(await page.locator(FORBIDDEN).count(), 0);
    await dialog.getByLabel("as text").check();
    await dialog.getByText("Measure **longer** [1].").waitFor();
    assert.match(page.url(), /document=proposal\.md/);
    await page.reload();
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await until(() => !/document=/.test(page.url()), "the address without the document");

    await page.getByRole("button", { name: "proposal.json", exact: true }).click();
    await page.getByRole("dialog").getByRole("tree").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "references.bib", exact: true }).click();
    await page.getByRole("dialog").getByText("{On tides}").waitFor();
  },
  { mayFail },
);

seen(
  "a document is saved under its name with all of its bytes, and copied",
  async ({ visit }) => {
    const page = await withKey(visit, "documents");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save proposal.md" }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), "proposal.md");
    const address = `${served.url}/threads/${thread}/artifacts/proposal.md`;
    const answer = await fetch(address, { headers: { "x-api-key": KEY } });
    assert.equal(readFileSync(await file.path(), "utf8"), await answer.text());

    await page.getByRole("button", { name: "references.bib", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Copy the text" }).click();
    await page.getByRole("dialog").getByText("Copied").waitFor();
  },
  { mayFail },
);
