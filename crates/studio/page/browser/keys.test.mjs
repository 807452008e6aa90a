// A server that asks for a key.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { seen } from "./page.mjs";
import { serve } from "./served.mjs";

const KEY = "studio-key-of-the-tests-0001";
const WRONG = "studio-key-of-nobody-at-all";

let served;
before(async () => {
  served = await serve({ key: KEY });
  await served.run("pipeline", { topic: "tea" });
});
after(() => served?.stop());

// The browser itself writes every refusal of a server to the console.
const mayFail = /Failed to load resource: .* 401/;

const listed = (page) => page.getByRole("grid").getByRole("link", { name: "pipeline" });

async function give(page, key) {
  await page.getByRole("button", { name: /^Key/ }).click();
  const dialog = page.getByRole("dialog", { name: "Key of the server" });
  await dialog.getByLabel("Key", { exact: true }).fill(key);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
}

seen(
  "without a key the page says that one is needed, a wrong one is refused, and with the right one it works",
  async ({ visit }) => {
    const page = await visit(served.studio("#/runs"));
    const urls = [];
    page.on("request", (request) => urls.push(request.url()));
    await page
      .getByRole("alert")
      .filter({ hasText: /key is needed/ })
      .first()
      .waitFor();

    await give(page, WRONG);
    await page
      .getByRole("alert")
      .filter({ hasText: /key is not known/ })
      .first()
      .waitFor();

    await give(page, KEY);
    await listed(page).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0, "no refusal is left");

    await page.reload();
    await listed(page).waitFor();
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }));
    for (const text of [stored, page.url(), ...urls]) {
      assert.ok(!text.includes(KEY) && !text.includes(WRONG), `a key is in ${text}`);
    }

    const other = await page.context().newPage();
    await other.goto(served.studio("#/runs"));
    await other
      .getByRole("alert")
      .filter({ hasText: /key is needed/ })
      .first()
      .waitFor();

    await page.getByRole("button", { name: /^Key/ }).click();
    await page.getByRole("button", { name: "Forget it" }).click();
    await page
      .getByRole("alert")
      .filter({ hasText: /key is needed/ })
      .first()
      .waitFor();
  },
  { mayFail },
);

seen(
  "a key can be given by the keyboard alone",
  async ({ visit }) => {
    const page = await visit(served.studio("#/runs"));
    const button = page.getByRole("button", { name: /^Key/ });
    for (let presses = 0; !(await button.evaluate((node) => node === document.activeElement)); presses += 1) {
      assert.ok(presses < 40, "Tab leads to the button of the key");
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.keyboard.type(KEY);
    await page.keyboard.press("Enter");
    await listed(page).waitFor();
  },
  { mayFail },
);
