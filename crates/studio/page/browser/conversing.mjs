// What PocketFlow converses with in tests: a few papers, and a model that answers by rules.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { INJECTIONS } from "./injections.mjs";

const query = (text) => ({ text, rationale: "it is asked", aspect: "tides" });
const section = (heading, text) => ({ heading, text });

/** The words of the prompt with which a found work is read. */
export const READS = "You read scientific material";

/** The rules of the model. */
export const SCRIPT = [
  { when: ["You plan literature searches", "shorter ones"], json: { queries: [query("neap tides")] } },
  { when: ["You plan literature searches", "injected"], json: { queries: INJECTIONS.slice(0, 4).map(query) } },
  { when: "You plan literature searches", json: { queries: [query("spring tides"), query("tides measured")] } },
  {
    when: ["You find what research leaves open", "broken tides"],
    // Both attempts of the node.
    times: 2,
    error: { error: "setup", message: "the model is out" },
  },
  { when: READS, json: { claim: "Tides were measured.", limits: "One bay." } },
  {
    when: "You summarise what several records say",
    json: { themes: [{ name: "Measuring", summary: "It is measured.", records: [1] }] },
  },
  {
    when: "You find what research leaves open",
    json: { summary: "Little.", gap: "The long run.", why: "It matters.", evidence: [1] },
  },
  {
    when: ["You write research proposals", "more about cost"],
    json: { title: "What tides cost", sections: [section("Cost", "Little [1].")] },
  },
  {
    when: "You write research proposals",
    json: {
      title: "Tides in the long run",
      sections: [
        section("Background", "Spring tides were measured for a year, twice a day, in one bay [1]."),
        section("Method", "Measure *longer*."),
      ],
    },
  },
  { when: "You answer a question", json: { answer: "Because of the moon." } },
];

/** A folder with two papers. */
export function papers() {
  const folder = mkdtempSync(join(tmpdir(), "studio-papers-"));
  for (const [name, words] of [
    ["springs.md", "spring tides"],
    ["neaps.md", "neap tides"],
  ]) {
    const text = `# On ${words}\n\nIn the bay the ${words} were measured for a year, twice a day.\n`;
    writeFileSync(join(folder, name), text);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A conversation in which these messages are said, one after the other; answers its thread. */
export async function conversation(served, ...messages) {
  let thread;
  for (const message of messages) thread = await served.run("pocketflow", { message }, { thread });
  return thread;
}
