// What a server keeps beside threads: assistants and their versions, the store, schedules.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { seen, until } from "./page.mjs";
import { serve } from "./served.mjs";

let served;
before(async () => (served = await serve()));
after(() => served?.stop());

seen("an assistant is made, changed into a second version, and a run is started with it", async ({ visit }) => {
  const page = await visit(served.studio("#/assistants"));
  await page.getByRole("link", { name: "Make one" }).click();
  await page.getByLabel("Graph", { exact: true }).selectOption("memory");
  await page.getByLabel("Name", { exact: true }).fill("The memory of Ada");
  await page.getByLabel(/^user_id/).fill("ada");
  await page.getByRole("button", { name: "Make it", exact: true }).click();
  await page.getByRole("heading", { name: "The memory of Ada" }).waitFor();

  await page.getByRole("tab", { name: "Change" }).click();
  await page.getByLabel("Description", { exact: true }).fill("what Ada said");
  await page.getByRole("button", { name: "Make the next version" }).click();
  await page.getByText("what Ada said").first().waitFor();
  await page.getByRole("tab", { name: "Versions" }).click();
  await until(
    async () =>
      (await page
        .getByRole("listbox", { name: /^Versions/ })
        .getByRole("option")
        .count()) === 2,
    "two versions",
  );

  await page.getByRole("link", { name: "Start a run with it" }).click();
  await page.getByLabel("note", { exact: true }).fill("tea at four");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/threads\//);
  await page.getByRole("tab", { name: "State" }).click();
  await page.getByRole("region", { name: "who", exact: true }).getByText("ada").waitFor();
});

seen("an item of the store is put, found, changed and deleted", async ({ visit }) => {
  const page = await visit(served.studio("#/store"));
  await page.getByRole("link", { name: "Put an item" }).click();
  await page.getByLabel("Namespace", { exact: true }).fill("shelves\nnorth");
  await page.getByRole("textbox", { name: "Key", exact: true }).fill("jar");
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  await page.getByLabel("Value as JSON").fill('{"holds": "tea"}');
  await page.getByRole("button", { name: "Put it" }).click();
  const item = page.getByRole("region", { name: "The item" });
  await item.getByRole("region", { name: "holds", exact: true }).getByText("tea").waitFor();
  const link = await visit(page.url());
  await link.getByRole("region", { name: "holds", exact: true }).getByText("tea").waitFor();

  await item.getByRole("button", { name: "Change" }).click();
  await item.getByRole("button", { name: "JSON", exact: true }).click();
  await item.getByLabel("Value as JSON").fill('{"holds": "coffee"}');
  await item.getByRole("button", { name: "Put it" }).click();
  await item.getByRole("region", { name: "holds", exact: true }).getByText("coffee").waitFor();
  await item.getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete it" }).click();
  await item.waitFor({ state: "detached" });
  const { items } = await served.ask("POST", "/store/items/search", { namespace_prefix: ["shelves"] });
  assert.deepEqual(items, []);
});

seen("rows of the same fields are a table, which can be sorted", async ({ visit }) => {
  const rows = [
    { kind: "green", minutes: 2 },
    { kind: "black", minutes: 4 },
    { kind: "white", minutes: 3 },
  ];
  await served.ask("PUT", "/store/items", { namespace: ["tables"], key: "teas", value: { rows } });
  const page = await visit(served.studio("#/store"));
  await page.getByText("tables").first().click();
  await page.getByRole("option", { name: /teas/ }).click();
  const table = page.getByRole("region", { name: "The item" }).getByRole("table");
  await table.getByRole("columnheader", { name: "minutes" }).getByRole("button").click();
  await until(async () => /green.*white.*black/s.test((await table.textContent()) ?? ""), "sorted by minutes");
});

seen(
  "a schedule is made, says when it runs next, is switched off and deleted",
  async ({ visit }) => {
    const page = await visit(served.studio("#/schedules/new"));
    await page.getByLabel("Graph or assistant").selectOption({ label: "pipeline" });
    await page.getByLabel("Schedule", { exact: true }).fill("61 9 * * *");
    await page.getByLabel("topic", { exact: true }).fill("every morning");
    await page.getByRole("button", { name: "Make it", exact: true }).click();
    const field = page.getByLabel("Schedule", { exact: true });
    await until(
      async () => (await field.getAttribute("aria-invalid")) === "true",
      "what is no schedule is refused at its field",
    );
    await field.fill("0 9 * * MON-FRI");
    await page.getByRole("button", { name: "Make it", exact: true }).click();
    await page.getByRole("tab", { name: "What it is" }).waitFor();
    const [cron] = await served.ask("POST", "/runs/crons/search", {});
    assert.equal(cron.schedule, "0 9 * * MON-FRI");
    await page.getByRole("button", { name: "Switch it off" }).click();
    await page.getByRole("button", { name: "Switch it on" }).waitFor();
    assert.equal((await served.ask("GET", `/runs/crons/${cron.cron_id}`)).enabled, false);
    await page.getByRole("button", { name: /^Delete/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete it" }).click();
    await page.waitForURL(/#\/schedules$/);
    assert.deepEqual(await served.ask("POST", "/runs/crons/search", {}), []);
  },
  { mayFail: /Failed to load resource: .* 422/ },
);
