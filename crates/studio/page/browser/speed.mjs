// How fast the page is with much to show, against its bars: GRAPHLOOM=… node browser/speed.mjs [--small]
//
// A run with 10,000 tasks and a thread with 5,000 checkpoints are opened; 100,000 events come in while a person types
// and presses arrow keys. `--small` takes a hundredth, to try the script itself.

import { readFileSync } from "node:fs";
import { browser, closeBrowser, until } from "./page.mjs";
import { serve } from "./served.mjs";

const BARS = { paint: 1000, input: 100, memory: 300 };
const PART = process.argv.includes("--small") ? 100 : 1;
const TASKS = 10_000 / PART;
const CHECKPOINTS = 5_000 / PART;
const EVENTS = 100_000 / PART;
const LIMIT = { config: { recursion_limit: 1_000_000 } };

const figures = [];
function note(what, figure, unit, bar) {
  figures.push({ what, figure: Math.round(figure * 10) / 10, unit, bar, over: bar !== undefined && figure > bar });
}

function names(count) {
  return Array.from({ length: count }, (_, at) => `name-${at}`);
}

const served = await serve();
try {
  const fanout = await timed("make the run with many tasks", () =>
    served.run("fanout", { names: names(TASKS - 2), ask: false }, LIMIT),
  );
  const ticker = await timed("make the thread with many checkpoints", () =>
    served.run("ticker", { n: CHECKPOINTS - 2, delay_ms: 0 }, LIMIT),
  );
  for (const tab of ["graph", "timeline", "state", "history"]) {
    await opening(`${TASKS} tasks, ${tab}`, fanout, tab);
    await opening(`${CHECKPOINTS} checkpoints, ${tab}`, ticker, tab);
  }
  await live("timeline");
  await live("graph");
} finally {
  await closeBrowser();
  await served.stop();
}
figures.sort((a, b) => Number(b.over) - Number(a.over));
for (const { what, figure, unit, bar, over } of figures) {
  console.log(
    `${over ? "OVER" : "    "} ${what}: ${figure} ${unit}${bar === undefined ? "" : ` (bar ${bar} ${unit})`}`,
  );
}
process.exitCode = figures.some(({ over }) => over) ? 1 : 0;

async function timed(what, work) {
  const began = performance.now();
  const made = await work();
  note(`the server, to ${what}`, (performance.now() - began) / 1000, "s");
  return made;
}

async function visit(view) {
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US" });
  await context.addInitScript(() => {
    window.delays = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.interactionId > 0) window.delays.push([entry.interactionId, entry.duration]);
      }
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
    const look = () => {
      if ((document.querySelector('[role="tabpanel"]')?.textContent ?? "").length > 20)
        window.shownAt = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    window.longTasks = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.longTasks.push(entry.duration);
    }).observe({ type: "longtask", buffered: true });
  });
  const page = await context.newPage();
  page.on("pageerror", (error) => console.log(`uncaught: ${error.message}`));
  await page.goto(served.studio(view));
  return { context, page };
}

/** Presses keys; answers the delay of each until its paint. The browser tells none under 16 ms: they count as 16. */
async function pressed(page, keys) {
  await page.evaluate(() => (window.delays = []));
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.waitForTimeout(40);
  }
  await page.waitForTimeout(500);
  const told = await page.evaluate(() => window.delays);
  const byPress = new Map();
  for (const [press, delay] of told) byPress.set(press, Math.max(delay, byPress.get(press) ?? 0));
  const delays = [...byPress.values(), ...Array(Math.max(0, keys.length - byPress.size)).fill(16)];
  return delays.sort((a, b) => a - b);
}

function p95(sorted) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? 0;
}

async function memory(page, what) {
  const client = await page.context().newCDPSession(page);
  await client.send("HeapProfiler.collectGarbage");
  await client.send("Performance.enable");
  const { metrics } = await client.send("Performance.getMetrics");
  const metric = (name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  note(`${what}, heap of the page`, metric("JSHeapUsedSize") / 1e6, "MB", BARS.memory);
  note(`${what}, nodes of the document`, metric("Nodes"), "nodes");
  const whole = await (await browser()).newBrowserCDPSession();
  const { processInfo } = await whole.send("SystemInfo.getProcessInfo");
  const resident = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => rss(id));
  note(`${what}, resident memory of the renderer`, Math.max(0, ...resident), "MB", BARS.memory);
}

function rss(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}

async function opening(what, thread, tab) {
  const began = performance.now();
  const { context, page } = await visit(`#/threads/${thread}?tab=${tab}`);
  const paint = () => page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  note(`${what}, first paint`, await until(paint, "the first paint"), "ms", BARS.paint);
  const panel = page.getByRole("tabpanel");
  try {
    const shown = await until(() => page.evaluate(() => window.shownAt), "something is shown", 60_000);
    note(`${what}, something of the view is shown`, shown, "ms", BARS.paint);
    await quiet(page);
    note(`${what}, all of it is known`, performance.now() - began, "ms");
    await walkable(page);
    const delays = await pressed(page, [
      ...Array(20).fill("ArrowDown"),
      ...Array(20).fill("ArrowUp"),
      "PageDown",
      "End",
    ]);
    note(`${what}, keys to their paint, p95`, p95(delays), "ms", BARS.input);
  } catch (error) {
    console.log(`${what}: ${error.message.split("\n")[0]}`);
  }
  await memory(page, what);
  await context.close();
}

/** Gives the focus to what the arrow keys walk through in a view: its rows, its nodes, or the view itself. */
async function walkable(page) {
  const panel = page.getByRole("tabpanel");
  for (const part of [
    panel.getByRole("tree"),
    panel.getByRole("listbox"),
    panel.getByRole("list", { name: "Nodes" }).getByRole("button"),
  ]) {
    if ((await part.count()) > 0) return await part.first().focus();
  }
  await panel.focus();
}

/** Until the page has had no long task for a second, and shows what it showed. */
async function quiet(page) {
  let known = "";
  let since = performance.now();
  const isQuiet = async () => {
    const now = await page.evaluate(() => `${window.longTasks.length} ${document.body.innerText.length}`);
    if (now !== known) since = performance.now();
    known = now;
    return performance.now() - since > 1000;
  };
  await until(isQuiet, "the page comes to rest", 180_000);
}

/** A person types into a field and walks by the arrow keys while events come in. */
async function live(tab) {
  const what = `${EVENTS} live events, ${tab}`;
  const thread = await served.thread();
  const { context, page } = await visit(`#/threads/${thread}?tab=${tab}`);
  await page.getByRole("heading").first().waitFor();
  const began = performance.now();
  // A task is told of three times: its beginning, what it wrote, its end.
  await served.begin("fanout", { names: names(Math.ceil(EVENTS / 3)), ask: false }, { thread, ...LIMIT });
  let ended = false;
  const end = served.settled(thread).then(() => (ended = true));
  const delays = [];
  let rounds = 0;
  while (!ended || rounds < 3) {
    const field = page.getByRole("tabpanel").getByRole("textbox").or(page.getByRole("tabpanel").getByRole("searchbox"));
    if ((await field.count()) > 0) {
      await field.first().focus();
      delays.push(...(await pressed(page, [..."worker", ...Array(6).fill("Backspace")])));
    }
    await walkable(page);
    delays.push(...(await pressed(page, [...Array(8).fill("ArrowDown"), ...Array(8).fill("ArrowUp")])));
    rounds += 1;
  }
  await end;
  note(`${what}, the run took`, (performance.now() - began) / 1000, "s");
  await quiet(page);
  note(`${what}, the page knows all after`, (performance.now() - began) / 1000, "s");
  delays.sort((a, b) => a - b);
  note(`${what}, keys to their paint, p95`, p95(delays), "ms", BARS.input);
  note(`${what}, keys to their paint, worst`, delays.at(-1) ?? 0, "ms");
  note(`${what}, keys pressed`, delays.length, "keys");
  const longest = await page.evaluate(() => Math.max(0, ...window.longTasks));
  note(`${what}, longest task of the page`, longest, "ms");
  await memory(page, what);
  await context.close();
}
