// Pictures of every view, in light and in dark, wide and narrow: GRAPHLOOM=… node browser/shots.mjs FOLDER [VIEW…]

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { browser, closeBrowser } from "./page.mjs";
import { samples, views } from "./samples.mjs";
import { serve } from "./served.mjs";

const [folder, ...only] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder of the pictures");
mkdirSync(folder, { recursive: true });

const served = await serve();
try {
  const all = Object.entries(views(await samples(served)));
  const chosen = only.length === 0 ? all : all.filter(([name]) => only.some((part) => name.startsWith(part)));
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      const context = await (
        await browser()
      ).newContext({ viewport, colorScheme, reducedMotion: "reduce", locale: "en-US" });
      const page = await context.newPage();
      for (const [name, view] of chosen) {
        await page.goto("about:blank");
        await page.goto(served.studio(view));
        await page
          .getByRole("heading")
          .first()
          .waitFor({ timeout: 5000 })
          .catch(() => undefined);
        await page.waitForTimeout(700);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) console.log(`${name} at ${viewport.width}: ${wide} px wider than the window`);
        await page.screenshot({ path: join(folder, `${name}-${viewport.width}-${colorScheme}.png`) });
      }
      await context.close();
    }
  }
} finally {
  await closeBrowser();
  await served.stop();
}
