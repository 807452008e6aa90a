// Every view by the rules of axe, in light and in dark, wide and narrow. No rule is left out.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { faultsOf } from "./axe.mjs";
import { seen } from "./page.mjs";
import { samples, views } from "./samples.mjs";
import { serve } from "./served.mjs";

let served;
let all;
before(async () => {
  served = await serve();
  all = views(await samples(served));
});
after(() => served?.stop());

async function shown(visit, view, options) {
  const page = await visit(served.studio(view), options);
  await page.getByRole("heading").first().waitFor();
  await page.waitForTimeout(500);
  return page;
}

// Colours are of the theme and places of the width: a run has each of them with half of the views, and `STUDIO_ALL=1` all
// pairs with all views.
const ALL = process.env.STUDIO_ALL !== undefined;
const PAIRS = [
  ["light", 1280],
  ["dark", 390],
  ...(ALL ? [["light", 390], ["dark", 1280]] : []),
];

for (const [at, [colorScheme, width]] of PAIRS.entries()) {
  const options = { colorScheme, viewport: { width, height: 844 } };
  seen(
    `${ALL ? "every" : "every other"} view is without a fault in ${colorScheme}, ${width} px wide`,
    async ({ visit }) => {
      const faults = [];
      for (const [place, [name, view]] of Object.entries(all).entries()) {
        if (!ALL && place % PAIRS.length !== at) continue;
        const page = await shown(visit, view, options);
        for (const fault of await faultsOf(page)) faults.push(`${name}: ${fault}`);
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (wider > 0) faults.push(`${name}: it is ${wider} px wider than the window`);
        await page.context().close();
      }
      assert.deepEqual(faults, []);
    },
    { timeout: 300_000, mayFail: /Failed to load resource: .* 404/ },
  );

  seen(
    `dialogs, open tasks and refused forms are without a fault in ${colorScheme}, ${width} px wide`,
    async ({ visit }) => {
      const faults = [];
      const look = async (page, name) => {
        await page.waitForTimeout(300);
        for (const fault of await faultsOf(page)) faults.push(`${name}: ${fault}`);
      };
      let page = await shown(visit, all.timeline, options);
      await page.getByRole("treeitem").first().click();
      await page.getByRole("complementary").waitFor();
      await look(page, "a task");
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await look(page, "the dialog of deletion");

      page = await shown(visit, all.graph, options);
      await page.getByRole("button", { name: /^plan/ }).click();
      await look(page, "the tasks of a node");

      page = await shown(visit, "#/start/ticker", options);
      await page.getByRole("textbox", { name: "n", exact: true }).fill("many");
      await page.getByRole("button", { name: "Start", exact: true }).click();
      await look(page, "a refused form");
      await page.getByRole("button", { name: /Earlier inputs/ }).click();
      await look(page, "the dialog of earlier inputs");

      page = await shown(visit, "#/runs", options);
      if (width < 600) await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("button", { name: "Key" }).click();
      await look(page, "the dialog of the key");

      page = await shown(visit, all["history-branched"], options);
      const rows = page.getByRole("listbox", { name: /^Checkpoints/ }).getByRole("option");
      await rows.filter({ hasText: /plan/ }).first().click();
      await page.getByRole("button", { name: "Edit state and fork" }).click();
      await page.getByRole("dialog").waitFor();
      await look(page, "the dialog of an edit");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Compare" }).click();
      await rows.first().click();
      await look(page, "two checkpoints compared");

      page = await shown(visit, all["state"], options);
      await page.getByRole("checkbox", { name: /only what differs/ }).check();
      await look(page, "a difference");

      page = await shown(visit, all.inbox, options);
      await page
        .getByRole("listbox", { name: /^Threads that wait/ })
        .getByRole("option")
        .first()
        .click();
      await page.getByRole("region", { name: "Questions of the thread" }).waitFor();
      await look(page, "an open question in the inbox");
      assert.deepEqual(faults, []);
    },
  );
}
