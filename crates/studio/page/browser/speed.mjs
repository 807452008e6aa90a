// How fast the page is with much to show, against its bars: GRAPHLOOM=… node browser/speed.mjs [--small] [--sources] [WHAT]
//
// A run with 10,000 tasks, a thread with 5,000 checkpoints and texts of WriteHERE are opened; 100,000 events come in while a
// person types and presses arrow keys. `--small` takes a hundredth, to try the script itself. `--sources` shows the page as
// its sources are and not the one inside the program. WHAT are `tasks`, `checkpoints`, `text`, `live`; all by default.
//
// A text of 65 tasks is written by the server, with a model that answers by rules. One of 3,201 is made up of what the server
// tells of it (many-parts.mjs), and a stand-in for the server answers it: to write one takes the square of the number of tasks.
//
// What is measured, each in a browser context that knows nothing of the page yet:
// - First paint: from the beginning of the navigation to the first thing of the page that is painted, the frame.
// - First of the view: from there to the frame of the browser in which something stands that the view is for: a task that
//   the run had in the timeline, a node of the drawing and one whose state is known, a field of the state, a checkpoint, a
//   task of a text.
// - Keys: from the press to the paint after it, as the browser itself tells it (event timing).
// - Memory: the heap of the page after its garbage is collected, and all resident memory of its process.

import { readFileSync } from "node:fs";
import { LONG_SCRIPT, longText } from "./long-writing.mjs";
import { heldText, manyParts } from "./many-parts.mjs";
import { browser, closeBrowser, until } from "./page.mjs";
import { serve } from "./served.mjs";
import { fromSources } from "./sources.mjs";
import { standIn } from "./stand-in.mjs";

const BARS = { paint: 1000, input: 100, memory: 300 };
const OPTIONS = process.argv.slice(2);
const PART = OPTIONS.includes("--small") ? 100 : 1;
const WHAT = OPTIONS.filter((option) => !option.startsWith("--"));
const wants = (what) => WHAT.length === 0 || WHAT.includes(what);
const TASKS = 10_000 / PART;
const CHECKPOINTS = 5_000 / PART;
const EVENTS = 100_000 / PART;
const LIMIT = { config: { recursion_limit: 1_000_000 } };

/** What a view is for, by its tab: each is measured by itself. */
const CONTENT = {
  graph: { "node of the drawing": "[data-node]", "node with a state": "[data-node]:not(.is-none)" },
  timeline: { task: "[role=treeitem]" },
  state: { field: ".state-field" },
  history: { checkpoint: ".history-row" },
  app: { task: "[role=treeitem]" },
};

const figures = [];
function note(what, figure, unit, bar) {
  figures.push({ what, figure: Math.round(figure * 10) / 10, unit, bar, over: bar !== undefined && figure > bar });
}

function names(count) {
  return Array.from({ length: count }, (_, at) => `name-${at}`);
}

const served = await serve({ apps: "writehere", script: LONG_SCRIPT });
try {
  if (wants("tasks")) await manyTasks();
  if (wants("checkpoints")) await manyCheckpoints();
  if (wants("text")) await longTexts();
  if (wants("live")) {
    await live("timeline");
    await live("graph");
  }
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

async function manyTasks() {
  const thread = await timed("make the run with many tasks", () =>
    served.run("fanout", { names: names(TASKS - 2), ask: false }, LIMIT),
  );
  for (const tab of ["graph", "timeline", "state", "history"]) {
    await opening(`${TASKS} tasks, ${tab}`, served, thread, tab, { tasks: TASKS });
  }
}

async function manyCheckpoints() {
  const thread = await timed("make the thread with many checkpoints", () =>
    served.run("ticker", { n: CHECKPOINTS - 2, delay_ms: 0 }, LIMIT),
  );
  for (const tab of ["graph", "timeline", "state", "history"]) {
    await opening(`${CHECKPOINTS} checkpoints, ${tab}`, served, thread, tab, { tasks: CHECKPOINTS - 2 });
  }
}

/** A text that the server wrote, and a longer one that is made of a short one. */
async function longTexts() {
  const { input, more } = longText(2);
  const written = await timed("write a text of 65 tasks", () => served.run("writehere", input, more));
  await opening("a text of 65 tasks, written", served, written, "app");
  const times = PART === 1 ? 50 : 2;
  const held = await heldText(served, written);
  const front = await standIn(served, manyParts(held, times));
  const what = `a text of ${1 + 64 * times} tasks, made up`;
  const further = async (page) => {
    await page.getByRole("button", { name: "By task" }).click();
    await quiet(page);
    note(`${what}, part by part, longest task of the page`, await longest(page), "ms");
    await keys(page, `${what}, part by part`);
  };
  await opening(what, front, held.record.thread_id, "app", { further });
  front.stop();
}

async function timed(what, work) {
  const began = performance.now();
  const made = await work();
  note(`the server, to ${what}`, (performance.now() - began) / 1000, "s");
  return made;
}

async function visit(address, content = {}) {
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US" });
  await context.addInitScript((content) => {
    window.delays = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.interactionId > 0) window.delays.push([entry.interactionId, entry.duration]);
      }
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
    window.shownAt = {};
    const look = () => {
      for (const [what, of] of Object.entries(content)) {
        if (window.shownAt[what] !== undefined || document.querySelector(`[role=tabpanel] ${of}`) === null) continue;
        window.shownAt[what] = Number.NaN;
        // A message is taken up when the frame is painted.
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => (window.shownAt[what] = performance.now());
        port2.postMessage(undefined);
      }
      if (Object.keys(content).some((what) => window.shownAt[what] === undefined)) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    window.longTasks = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.longTasks.push(entry.duration);
    }).observe({ type: "longtask", buffered: true });
  }, content);
  const page = await context.newPage();
  page.on("pageerror", (error) => console.log(`uncaught: ${error.message}`));
  if (OPTIONS.includes("--sources")) await fromSources(page);
  await page.goto(address);
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

/** Opens a view. `tasks` is how many are told of in the end; `further` is done with the page afterwards. */
async function opening(what, { url }, thread, tab, { tasks, further = async () => {} } = {}) {
  const content = CONTENT[tab];
  const { context, page } = await visit(`${url}/studio/#/threads/${thread}?tab=${tab}`, content);
  const paint = () => page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  note(`${what}, first paint`, await until(paint, "the first paint"), "ms", BARS.paint);
  try {
    for (const name of Object.keys(content)) {
      const shown = await until(() => page.evaluate((name) => window.shownAt[name], name), `a ${name} is shown`);
      note(`${what}, first ${name}`, shown, "ms", BARS.paint);
    }
    if (tasks !== undefined) await until(async () => (await told(page)) === tasks, `${tasks} tasks are told`);
    await quiet(page);
    note(`${what}, all of it is known`, await page.evaluate(() => performance.now() - 1000), "ms");
    note(`${what}, longest task of the page`, await longest(page), "ms");
    await keys(page, what);
    await further(page);
  } catch (error) {
    console.log(`${what}: ${error.message.split("\n")[0]}`);
    figures.push({ what: `${what}: ${error.message.split("\n")[0]}`, figure: 0, unit: "", over: true });
  }
  await memory(page, what);
  await context.close();
  // What the page asked for last, the server answers to nobody.
  await new Promise((resolve) => setTimeout(resolve, 2000));
}

/** A person walks through a view by its keys. */
async function keys(page, what) {
  await walkable(page);
  const delays = await pressed(page, [
    ...Array(20).fill("ArrowDown"),
    ...Array(20).fill("ArrowUp"),
    "PageDown",
    "End",
  ]);
  note(`${what}, keys to their paint, p95`, p95(delays), "ms", BARS.input);
  note(`${what}, keys to their paint, worst`, delays.at(-1) ?? 0, "ms");
}

/** How many tasks the head of the page says that there are. */
function told(page) {
  return page.evaluate(() => {
    const facts = [...document.querySelectorAll(".facts > div")];
    const tasks = facts.find((fact) => fact.querySelector("dt")?.textContent === "Tasks");
    return Number(tasks?.querySelector("dd")?.textContent?.replace(/\D/g, "") ?? Number.NaN);
  });
}

/** The longest task of a page, in milliseconds. */
function longest(page) {
  return page.evaluate(() => Math.max(0, ...window.longTasks));
}

function nodes(page) {
  return page.evaluate(() => document.querySelectorAll("*").length);
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
    const now = await page.evaluate(() => {
      const said = [...document.querySelectorAll("[role=status], .facts")].map((one) => one.textContent);
      return [window.longTasks.length, document.getElementsByTagName("*").length, ...said].join(" ");
    });
    if (now !== known) since = performance.now();
    known = now;
    return performance.now() - since > 1000;
  };
  await until(isQuiet, "the page comes to rest");
}

/** A person types into a field and walks by the arrow keys while events come in. */
async function live(tab) {
  const what = `${EVENTS} live events, ${tab}`;
  const thread = await served.thread();
  const { context, page } = await visit(served.studio(`#/threads/${thread}?tab=${tab}`));
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
  note(`${what}, longest task of the page`, await longest(page), "ms");
  await memory(page, what);
  await context.close();
}
