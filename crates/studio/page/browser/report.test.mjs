// What a person does with a report, from the printed link on and in the page alone: starts it on the built-in model, changes
// its plan, answers its question, watches it, reads it and saves it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { seen, until } from "./page.mjs";
import { serve } from "./served.mjs";

/** The model that runs in the program may take long on a busy machine; the limit of the whole test is the one that counts. */
const MODEL = 500_000;

/** The guides of this project, about which the report is. */
const GUIDES = fileURLToPath(new URL("../../../../docs", import.meta.url));
const REQUEST = "How does a run go on after its process was killed, and how is a thread protected from two writers?";
/** A goal that the plan does not have. */
const GOAL = "What a lease promises when its process is killed";

seen(
  "a report is started, planned with its reader, watched, read and saved",
  async ({ visit, afterwards }) => {
    const served = await serve({ apps: "writehere", model: "embedded", options: ["--corpus", GUIDES] });
    afterwards(() => served.stop());
    const page = await visit(served.link);

    // Started by its form.
    await page.getByRole("link", { name: "Start", exact: true }).click();
    await page.getByLabel("Graph").selectOption({ label: "writehere" });
    await page.getByLabel("request", { exact: true }).fill(REQUEST);
    await page.getByLabel("words", { exact: true }).fill("300");
    await page.getByLabel("review", { exact: true }).selectOption({ label: "whole" });
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.waitForURL(/#\/threads\//);

    // Its plan is changed: one goal is another, and its length is too long for the whole.
    const plan = page.getByRole("form", { name: /Review the plan/ });
    await plan.waitFor({ timeout: MODEL });
    const goals = plan.getByRole("textbox", { name: /^Goal/ });
    await goals.last().fill(GOAL);
    await plan.getByRole("textbox", { name: "Length" }).last().fill("900 words");
    await page.keyboard.press("Tab");
    await plan.getByRole("button", { name: "Use the changed plan" }).click();

    // It was put right, so it asks whether that is what is wanted.
    await plan.getByText("Your plan, as it will be carried out").waitFor();
    assert.equal(await goals.last().inputValue(), GOAL);
    await plan.getByRole("button", { name: "Accept the plan" }).click();

    // Watched: the tree has the task, tasks come to their ends, and the text grows.
    const tree = page.getByRole("tree", { name: /^Tasks/ });
    await tree.getByRole("treeitem", { name: new RegExp(GOAL) }).waitFor();
    const done = async () => Number(/(\d+) of \d+ tasks? done/.exec(await page.getByRole("main").innerText())?.[1]);
    await until(async () => (await done()) > 0, "a task is done");
    const text = page.getByRole("article", { name: "The text" });
    await page.getByText("The text is finished").waitFor({ timeout: MODEL });

    // Read: a citation opens its source, which is a guide.
    await text.getByRole("button", { name: /^Source 1/ }).first().click();
    const source = page.getByRole("region", { name: "Source 1" });
    await source.getByText(/\.md/).first().waitFor();
    await page.keyboard.press("Escape");

    // Saved, as it was read.
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as Markdown" }).click();
    const saved = readFileSync(await (await download).path(), "utf8");
    assert.match(saved, /^# How does a run go on/);
    assert.match(saved, /## References\n/);
    assert.ok(saved.split(/\s+/).length > 100, saved);
  },
);
