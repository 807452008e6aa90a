// Pictures of every view, in light and in dark, wide and narrow: GRAPHLOOM=… node browser/shots.mjs FOLDER [VIEW…]

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { wider } from "./axe.mjs";
import { browser, closeBrowser } from "./page.mjs";
import { serveSamples } from "./samples.mjs";
import { Viewer } from "./viewer.mjs";
import { views } from "./views.mjs";

const [folder, ...only] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder of the pictures");
mkdirSync(folder, { recursive: true });

const { served, threads, stop } = await serveSamples();
try {
  const all = Object.entries(views(threads));
  const chosen = only.length === 0 ? all : all.filter(([name]) => only.some((part) => name.startsWith(part)));
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      const options = { viewport, colorScheme, reducedMotion: "reduce", locale: "en-US" };
      const context = await (await browser()).newContext(options);
      const page = await context.newPage();
      await page.goto(served.studio("#/runs"));
      const viewer = new Viewer(page, served);
      for (const [name, view] of chosen) {
        await viewer.show(view).catch((error) => console.log(`${name} at ${viewport.width}: ${error.message}`));
        const by = await wider(page);
        if (by > 0) console.log(`${name} at ${viewport.width}: ${by} px wider than the window`);
        await page.screenshot({ path: join(folder, `${name}-${viewport.width}-${colorScheme}.png`) });
      }
      await context.close();
    }
  }
} finally {
  await closeBrowser();
  await stop();
}
