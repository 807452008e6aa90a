// The pictures of docs/studio.md are those of the page as it is. Each is made again and compared. Letters of another machine
// have other forms and widths, so that no picture made there is the same: there, each view is shown, and its picture is only
// looked for.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { after, test } from "node:test";
import { FOLDER, GUIDE, isSame, LETTERS, pathOf } from "./guide-files.mjs";
import { NAMES, takePictures } from "./guide-pictures.mjs";
import { browser, closeBrowser } from "./page.mjs";
import { letters, webpOf } from "./picture.mjs";
import { serveSamples } from "./samples.mjs";

after(closeBrowser);

test("the guide shows each of its pictures once, with words for who does not see it, and they are small", () => {
  const shown = [...readFileSync(GUIDE, "utf8").matchAll(/!\[([^\]]*)\]\(studio\/([^)]+)\.webp\)/g)];
  assert.deepEqual(shown.map(([, , name]) => name).sort(), [...NAMES].sort());
  for (const [, words, name] of shown) assert.ok(words.length > 30, `the words of ${name} say what is seen`);
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".webp"));
  assert.deepEqual(files.sort(), NAMES.map((name) => `${name}.webp`).sort());
  const sizes = NAMES.map((name) => statSync(pathOf(name)).size);
  assert.ok(Math.max(...sizes) < 80_000 && sizes.reduce((sum, size) => sum + size) < 500_000, `${sizes}`);
});

test("the pictures of the guide show the page as it is", { timeout: 600_000 }, async (context) => {
  const samples = await serveSamples();
  try {
    const drawing = await (await browser()).newPage();
    const isComparable = readFileSync(LETTERS, "utf8").trim() === (await letters(drawing));
    if (!isComparable) context.diagnostic("the letters of this machine are others: the pictures are not compared");
    const old = [];
    const taken = [];
    await takePictures(await browser(), samples, async (name, png) => {
      taken.push(name);
      if (!isComparable) return;
      const made = await webpOf(drawing, png);
      if (!(await isSame(drawing, name, readFileSync(pathOf(name)), made))) old.push(name);
    });
    assert.deepEqual(taken.sort(), [...NAMES].sort());
    assert.deepEqual(old, [], "they are old: `node browser/guide.mjs` makes them again");
  } finally {
    await samples.stop();
  }
});
