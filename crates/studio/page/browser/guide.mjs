// Makes the pictures of docs/studio.md again: GRAPHLOOM=… node browser/guide.mjs. One that shows what it showed is left as it is.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { FOLDER, isSame, LETTERS, NEARLY, pathOf } from "./guide-files.mjs";
import { takePictures } from "./guide-pictures.mjs";
import { browser, closeBrowser } from "./page.mjs";
import { letters, webpOf } from "./picture.mjs";
import { serveSamples } from "./samples.mjs";

mkdirSync(FOLDER, { recursive: true });
const samples = await serveSamples();
try {
  const drawing = await (await browser()).newPage();
  const here = await letters(drawing);
  const isKept = existsSync(LETTERS) && readFileSync(LETTERS, "utf8").trim() === here;
  await takePictures(await browser(), samples, async (name, png) => {
    const made = await webpOf(drawing, png);
    const file = pathOf(name);
    if (isKept && existsSync(file) && (await isSame(drawing, name, readFileSync(file), made, NEARLY))) return;
    writeFileSync(file, made);
    console.log(`${file}: ${Math.round(made.length / 1000)} kB`);
  });
  writeFileSync(LETTERS, `${here}\n`);
} finally {
  await closeBrowser();
  await samples.stop();
}
