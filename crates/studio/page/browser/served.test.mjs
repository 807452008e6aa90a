// The page as the program serves it: its files, their headers, and that it needs nothing from elsewhere.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { seen } from "./page.mjs";
import { serve } from "./served.mjs";

let served;
before(async () => (served = await serve()));
after(() => served?.stop());

const FILES = ["", "studio.js", "style.css", "icon.svg"];

test("every file has the headers that keep others out", async () => {
  for (const file of FILES) {
    const { status, headers } = await fetch(served.studio(file));
    assert.equal(status, 200, file);
    const policy = new Map(
      (headers.get("content-security-policy") ?? "").split(";").map((part) => {
        const [name = "", ...values] = part.trim().split(/\s+/);
        return [name, values.join(" ")];
      }),
    );
    const rules = { "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "connect-src": "'self'" };
    for (const [name, value] of Object.entries(rules)) assert.equal(policy.get(name), value, `${file}: ${name}`);
    assert.equal(policy.get("img-src"), "'self' data:", file);
    assert.equal(policy.get("frame-ancestors"), "'none'", file);
    assert.ok(!/unsafe|\*|https?:/.test([...policy.values()].join(" ")), `${file}: nothing is unsafe or of others`);
    assert.equal(headers.get("x-content-type-options"), "nosniff", file);
    assert.equal(headers.get("referrer-policy"), "no-referrer", file);
  }
});

test("a file that the browser has is not sent again", async () => {
  for (const file of FILES) {
    const first = await fetch(served.studio(file));
    const etag = first.headers.get("etag");
    assert.ok(etag, `${file} has an ETag`);
    const again = await fetch(served.studio(file), { headers: { "if-none-match": etag } });
    assert.equal(again.status, 304, file);
    assert.equal(await again.text(), "", file);
    assert.equal(again.headers.get("etag"), etag, file);
    const other = await fetch(served.studio(file), { headers: { "if-none-match": '"another"' } });
    assert.equal(other.status, 200, file);
  }
});

test("the address without a slash leads to the page", async () => {
  const { url, status } = await fetch(`${served.url}/studio`);
  assert.deepEqual([status, url], [200, served.studio()]);
});

test("no file names another host", async () => {
  for (const file of FILES) {
    const text = await (await fetch(served.studio(file))).text();
    // The page asks none of these: a namespace of XML, an example in a hint, what paths of a saved thread are read
    // against, and where a person finds a work by its number.
    const works = ["https://doi.org", "https://arxiv.org", "https://pubmed.ncbi.nlm.nih.gov"];
    const words = ["http://www.w3.org", "https://example.org", "http://archive", ...works];
    const named = text.match(/https?:\/\/[a-z0-9.-]+/gi) ?? [];
    assert.deepEqual(
      named.filter((url) => !words.includes(url)),
      [],
      file,
    );
  }
});

seen("the page opens with what the server gives, and asks nobody else", async ({ visit }) => {
  const page = await visit(served.studio());
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  const asked = await page.evaluate(() => performance.getEntriesByType("resource").map((entry) => entry.name));
  assert.ok(asked.length >= 2, "the page is made of several files");
  for (const url of asked) assert.ok(url.startsWith(`${served.url}/`), url);
});

seen("a name that is no view says so", async ({ visit }) => {
  const page = await visit(served.studio("#/nothing/here"));
  await page.getByText("There is no view of this name.").waitFor();
  await page.getByRole("link", { name: "All runs" }).click();
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  assert.match(page.url(), /#\/runs$/);
});

seen("the page is light or dark as the system says, or as it is told, and keeps that", async ({ visit }) => {
  const page = await visit(served.studio(), { colorScheme: "dark" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await ground();
  await page.getByLabel("Colours").selectOption("light");
  const light = await ground();
  assert.notEqual(light, dark);
  await page.reload();
  assert.equal(await ground(), light);
  await page.getByLabel("Colours").selectOption("system");
  assert.equal(await ground(), dark);
});
