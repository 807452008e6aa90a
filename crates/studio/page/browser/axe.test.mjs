// Every view by the rules of axe, in light and in dark, wide and narrow. No rule is left out.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { faultsOf, wider } from "./axe.mjs";
import { seen } from "./page.mjs";
import { serveSamples } from "./samples.mjs";
import { Viewer } from "./viewer.mjs";
import { views } from "./views.mjs";

let samples;
before(async () => (samples = await serveSamples()));
after(() => samples?.stop());

// Colours are of the theme and places of the width: a run has each of them with half of the views, and `STUDIO_ALL=1` all
// pairs with all views.
const ALL = process.env.STUDIO_ALL !== undefined;
const PAIRS = [
  ["light", 1280],
  ["dark", 390],
  ...(ALL ? [["light", 390], ["dark", 1280]] : []),
];

for (const [at, [colorScheme, width]] of PAIRS.entries()) {
  seen(
    `${ALL ? "every" : "every other"} view is without a fault in ${colorScheme}, ${width} px wide`,
    async ({ visit }) => {
      const { served, threads } = samples;
      const options = { colorScheme, viewport: { width, height: 844 } };
      const viewer = new Viewer(await visit(served.studio("#/runs"), options), served);
      const faults = [];
      for (const [place, [name, view]] of Object.entries(views(threads)).entries()) {
        if (!ALL && place % PAIRS.length !== at) continue;
        await viewer.show(view);
        for (const fault of await faultsOf(viewer.page)) faults.push(`${name}: ${fault}`);
        const by = await wider(viewer.page);
        if (by > 0) faults.push(`${name}: it is ${by} px wider than the window`);
      }
      assert.deepEqual(faults, []);
    },
    { mayFail: /Failed to load resource: .* 404/ },
  );
}
