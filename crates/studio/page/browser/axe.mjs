// A page by the rules of axe. No rule is left out.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds, a line a rule. */
export async function faultsOf(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .slice(0, 3)
        .map(({ html }) => html.slice(0, 200))
        .join(" | ")}`,
  );
}

/** How many pixels the page is wider than the window. */
export async function wider(page) {
  return Math.max(0, await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth));
}
