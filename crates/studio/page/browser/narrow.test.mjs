// The frame on a narrow screen: its menu is folded, and the mark of the link stays in sight.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { faultsOf, wider } from "./axe.mjs";
import { seen } from "./page.mjs";
import { serve } from "./served.mjs";

let served;
before(async () => (served = await serve()));
after(() => served?.stop());

seen("on a phone the menu is opened by a press, leads somewhere, and is folded again", async ({ visit }) => {
  const thread = await served.run("pipeline", { topic: "narrow" });
  const options = { viewport: { width: 390, height: 844 }, hasTouch: true };
  const page = await visit(served.studio(`#/threads/${thread}`), options);
  await page.getByRole("status").getByText("live").waitFor();
  const menu = page.getByRole("button", { name: "Menu" });
  const views = page.getByRole("navigation", { name: "Views" });
  assert.equal(await views.isVisible(), false);
  await menu.tap();
  assert.equal(await menu.getAttribute("aria-expanded"), "true");
  assert.deepEqual(await faultsOf(page), []);
  assert.equal(await wider(page), 0);
  await views.getByRole("link", { name: "Store" }).tap();
  await page.getByRole("heading", { name: "Store", level: 1 }).waitFor();
  await views.waitFor({ state: "hidden" });

  // The key is asked for in a dialog of the menu.
  await menu.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Key", exact: true }).tap();
  await page.getByRole("dialog").getByLabel("Key", { exact: true }).waitFor();
});
