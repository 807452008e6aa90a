// One browser for all tests of a file, and for each test a fresh context that lets nothing wrong pass: an error in the
// console, a breach of the page's security policy, a request to anywhere but the server.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { chromium } from "playwright-core";
import { fromSources } from "./sources.mjs";

const PROGRAM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/**
 * After so long, in milliseconds, a step of a browser counts as one that hangs. It is far more than any step takes, so that it
 * decides nothing: what is slow passes.
 */
export const HANGS = 120_000;
/** The same for a whole test; what a test waits for counts as never coming a little before that, so that it is named. */
const TEST_HANGS = 600_000;
const NEVER = TEST_HANGS - 30_000;

let launched;
let closes = false;

/** The browser; it is closed when the tests of the file are done. */
export function browser() {
  launched ??= chromium.launch({
    executablePath: PROGRAM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      "--enable-precise-memory-info",
    ],
  });
  return launched;
}

export async function closeBrowser() {
  await (await launched)?.close();
  launched = undefined;
}

/**
 * A test of the page. `body` gets `visit(address, options)`, which opens the address in a context of its own and gives
 * the page, where `opened(page)` is called before that and the other options are those of the context, and `afterwards(stop)`, which stops what the test alone uses, such as a server, when its pages are closed: a page
 * that is open goes on asking. With `mayFail` a regular expression says which errors of the console belong to the test.
 */
export function seen(name, body, { mayFail } = {}) {
  if (!closes) after(closeBrowser);
  closes = true;
  test(name, { timeout: TEST_HANGS }, async () => {
    const contexts = [];
    const wrong = [];
    const stops = [];
    const afterwards = (stop) => stops.push(stop);
    const visit = async (address, { opened, ...options } = {}) => {
      const context = await (
        await browser()
      ).newContext({
        locale: "en-US",
        timezoneId: "UTC",
        viewport: { width: 1280, height: 800 },
        reducedMotion: "reduce",
        ...options,
      });
      contexts.push(context);
      context.setDefaultTimeout(HANGS);
      return await watched(context, address, wrong, { mayFail, opened });
    };
    try {
      await body({ visit, afterwards });
      assert.deepEqual(wrong, [], "the page did what it must not do");
    } catch (error) {
      await pictures(contexts, name);
      if (wrong.length > 0 && error instanceof Error && !error.message.startsWith("the page did")) {
        error.message += `\nbeside that: ${wrong.join("\n")}`;
      }
      throw error;
    } finally {
      for (const context of contexts) await context.close();
      for (const stop of stops) await stop();
    }
  });
}

/** What was to be seen when a test failed, into the folder that `STUDIO_PICTURES` names. */
async function pictures(contexts, name) {
  const folder = process.env.STUDIO_PICTURES;
  if (folder === undefined) return;
  for (const [at, page] of contexts.flatMap((context) => context.pages()).entries()) {
    const file = `${name.replaceAll(/[^a-z0-9]+/gi, "-").slice(0, 80)}-${at}.png`;
    await page.screenshot({ path: join(folder, file) }).catch(() => undefined);
  }
}

async function watched(context, address, wrong, { mayFail, opened }) {
  const { origin } = new URL(address);
  await context.exposeBinding("studioTestReport", (_, what) => wrong.push(what));
  await context.addInitScript(() => {
    for (const name of ["alert", "confirm", "prompt", "open", "print"]) {
      window[name] = () => window.studioTestReport(`window.${name} was called`);
    }
    document.addEventListener("securitypolicyviolation", (event) => {
      window.studioTestReport(`the security policy forbids ${event.violatedDirective}: ${event.blockedURI}`);
    });
    // What an injected text would set if it ran.
    Object.defineProperty(window, "canary", {
      set: (by) => window.studioTestReport(`an injected text ran: ${by}`),
      get: () => () => window.studioTestReport("an injected text ran"),
    });
  });
  context.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`)) wrong.push(`a request went to ${url.slice(0, 200)}`);
  });
  const watch = (page) => {
    page.on("console", (message) => {
      if (message.type() === "error" && !mayFail?.test(message.text())) {
        wrong.push(`console: ${message.text()} (${message.location().url})`);
      }
    });
    page.on("pageerror", (error) => wrong.push(`uncaught: ${error.stack ?? error.message}`));
    page.on("dialog", (dialog) => {
      wrong.push(`a dialog of the browser: ${dialog.message()}`);
      void dialog.dismiss();
    });
  };
  context.on("page", watch);
  const page = await context.newPage();
  // While the page is written, its sources are tried without a build of the program.
  if (process.env.STUDIO_SOURCES !== undefined) await fromSources(page);
  await opened?.(page);
  await page.goto(address);
  return page;
}

/** Waits until `ask` answers something true, and answers it. */
export async function until(ask, what) {
  for (const end = Date.now() + NEVER; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const answer = await ask();
    if (answer) return answer;
    assert.ok(Date.now() < end, `it did not come to pass: ${what}`);
  }
}

/** Presses a key until `isThere` answers something true, at most so many times. */
export async function pressUntil(page, key, isThere, what, most = 60) {
  for (let presses = 0; !(await isThere()); presses += 1) {
    assert.ok(presses < most, `${most} presses of ${key} do not lead to ${what}`);
    await page.keyboard.press(key);
  }
}

/** Whether an element has the focus. */
export function hasFocus(locator) {
  return locator.evaluate((node) => node === document.activeElement);
}

/** Holds back the answers to a page's requests of this pattern until the function that is answered is called. */
export async function holdBack(page, pattern) {
  let release = () => undefined;
  const released = new Promise((resolve) => (release = resolve));
  await page.route(pattern, async (route) => {
    await released;
    await route.continue().catch(() => undefined);
  });
  return release;
}

/** Goes to the tab of this name by the arrow keys. */
export async function toTab(page, name) {
  const chosen = page.getByRole("tab", { selected: true });
  await chosen.focus();
  const text = async () => ((await chosen.textContent()) ?? "").trim();
  for (let presses = 0; !(await text()).startsWith(name); presses += 1) {
    assert.ok(presses < 12, `no tab is ${name}`);
    const before = await text();
    await page.keyboard.press("ArrowRight");
    // A second press before the first one is seen would go past a tab.
    await until(async () => (await text()) !== before, "the next tab is chosen");
  }
}
