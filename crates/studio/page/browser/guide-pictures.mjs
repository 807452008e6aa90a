// The pictures of docs/studio.md, as the page shows the sample runs.

import { steady, NOW } from "./steady.mjs";
import { Viewer } from "./viewer.mjs";
import { views } from "./views.mjs";

const WINDOW = { width: 1280, height: 760 };

/** What comes over a stream is all there when nothing has changed for this long, also on a busy machine, in milliseconds. */
const QUIET = 500;

/**
 * Their names with the view that each shows, in light unless it says otherwise. Where less than the share `differs` of two
 * pictures differs, they show the same: sections of a report, and searches, go on at once, now the one and now the other ahead.
 */
const PICTURES = {
  runs: { shows: "runs" },
  graph: { shows: "graph-opened" },
  timeline: { shows: "timeline-task", differs: 0.015 },
  history: { shows: "history-compare", colorScheme: "dark" },
  question: { shows: "inbox-open" },
  writehere: { shows: "writehere-source" },
  deepsearch: { shows: "deepsearch-source" },
  obsius: { shows: "obsius-review" },
  pocketflow: { shows: "pocketflow-proposal", colorScheme: "dark", differs: 0.015 },
};

export const NAMES = Object.keys(PICTURES);

/** Which share of a picture may differ. */
export const mayDiffer = (name) => PICTURES[name].differs ?? 0.003;

/** Takes each, and gives its name and its bytes as PNG to `take`. */
export async function takePictures(browser, { served, threads, folders }, take) {
  const timed = await steady(served, folders);
  try {
    const all = views(threads);
    for (const theme of ["light", "dark"]) {
      const options = { viewport: WINDOW, colorScheme: theme, reducedMotion: "reduce", locale: "en-US", timezoneId: "UTC" };
      const context = await browser.newContext(options);
      const page = await context.newPage();
      await page.clock.setFixedTime(NOW);
      await page.goto(timed.studio("#/runs"));
      const viewer = new Viewer(page, timed, QUIET);
      for (const [name, { shows, colorScheme = "light" }] of Object.entries(PICTURES)) {
        if (colorScheme !== theme) continue;
        await viewer.show(all[shows]);
        // It is seen from its beginning, without a pointer on it.
        await page.mouse.move(0, 0);
        await page.evaluate(() => scrollTo(0, 0));
        await page.evaluate(sameIds);
        await take(name, await page.screenshot({ caret: "hide", animations: "disabled" }));
      }
      await context.close();
    }
  } finally {
    await timed.stop();
  }
}

/** In the page: shows all ids as one, of the same length. */
function sameIds() {
  const SHOWN = "01a21b43-5d2e-7604-a4d8-3c000d00d3e1";
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data;
    const same = text
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, SHOWN)
      .replace(/^(\u2026?)[0-9a-f]{8}$/, (_, before) => before + SHOWN.slice(-8));
    if (same !== text) texts.currentNode.data = same;
  }
}
