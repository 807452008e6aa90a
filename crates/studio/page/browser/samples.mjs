// Runs as the views are shown with: one of every kind that a person meets, of the demo graphs and of the applications.

import * as conversing from "./conversing.mjs";
import * as researching from "./researching.mjs";
import { serve } from "./served.mjs";
import * as vault from "./vault.mjs";
import * as writing from "./writing.mjs";

/**
 * A server with all of them. `threads` are their ids by kind, and those of what is beside threads; `folders` are its
 * own, with the names that are shown for them.
 */
export async function serveSamples() {
  const notes = new vault.Vault();
  const papers = conversing.papers();
  const script = [...conversing.SCRIPT, ...vault.script(), ...writing.script(), ...researching.SCRIPT];
  const folders = [
    [papers.folder, "tides"],
    [writing.corpus(), "papers"],
    [researching.CORPUS, "logs"],
  ];
  const corpus = folders.flatMap(([folder]) => ["--corpus", folder]);
  const options = [...corpus, "--vault", notes.folder, "--budget", "calls=200,usd=1,price=1/2"];
  const served = await serve({ apps: "writehere,deepsearch,obsius,pocketflow", script, options });
  const stop = async () => {
    await served.stop();
    notes.remove();
    papers.remove();
  };
  try {
    return { served, threads: { ...(await demos(served)), ...(await applications(served, notes)) }, folders: [...folders, [`${served.folder}/`, ""]], stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Makes the runs of the applications: one that is done, and one for each thing that they ask. */
async function applications(served, notes) {
  const { conversation } = conversing;
  const written = await served.run("obsius", vault.REQUEST);
  await served.answer("obsius", written, "approve");
  notes.fill();
  return {
    text: await writing.write(served, "none"),
    plan: await writing.write(served, "whole"),
    questions: await researching.research(served),
    outline: await researching.outlined(served),
    report: await researching.reported(served),
    changes: await researching.reported(served, { user_feedback_processor_enable: true }),
    written,
    notes: await served.run("obsius", vault.REQUEST),
    queries: await conversation(served, "tides"),
    unsure: await conversation(served, "tides", "ok, drop the second one"),
    proposal: await conversation(served, "tides", "/approve"),
    proposed: await conversation(served, "tides", "/approve", "/approve"),
  };
}

/** Makes those of the demo graphs, and what is beside threads; answers their ids by kind. */
async function demos(served) {
  const threads = {
    pipeline: await served.run("pipeline", { topic: "tea" }),
    chat: await served.run("echo_chat", { messages: [{ role: "user", content: CHAT }] }),
    nested: await served.run("nested", { text: " a text " }),
    fanout: await served.run("fanout", { names: ["ada", "bea", "cleo", "dora", "emma", "fay"], ask: false }),
    ticker: await served.run("ticker", { n: 12, delay_ms: 20 }),
    memory: await served.run("memory", { note: "storks come back in March" }, { context: { user_id: "ada" } }),
    asking: await served.run("approval", { request: "tea for two" }),
    several: await served.run("fanout", { names: ["ada", "bea", "cleo"], ask: true }),
    inside: await served.run("nested", { text: "a question inside", ask: true }),
    failed: await served.run("faulty", { mode: "fail" }),
  };
  threads.answered = await served.run("approval", { request: "a garden" });
  await served.answer("approval", threads.answered, "approve");
  threads.branched = await served.run("pipeline", { topic: "coffee" });
  const past = (await served.history(threads.branched)).find((state) => state.next[0] === "work");
  const edited = await served.ask("POST", `/threads/${threads.branched}/state`, {
    values: { topic: "cocoa" },
    checkpoint: past.checkpoint,
  });
  await served.ask("POST", `/threads/${threads.branched}/runs/wait`, {
    assistant_id: "pipeline",
    input: null,
    checkpoint: edited.checkpoint,
  });
  await served.ask("PUT", "/store/items", {
    namespace: ["memories", "bea"],
    key: "storks",
    value: { note: "come in March", seen: 3 },
  });
  const assistant = {
    graph_id: "memory",
    name: "The memory of Ada",
    description: "what Ada said",
    context: { user_id: "ada" },
  };
  const { assistant_id: ada } = await served.ask("POST", "/assistants", assistant);
  await served.ask("PATCH", `/assistants/${ada}`, { description: "what Ada said, and when" });
  const cron = { assistant_id: "pipeline", schedule: "0 9 * * MON-FRI", input: { topic: "every morning" } };
  const { cron_id } = await served.ask("POST", "/runs/crons", cron);
  return { ...threads, ada, cron: cron_id };
}

const CHAT = `# Notes on tea

1. *Warm* the pot, then **wait**.
2. See the [leaves](https://example.org/leaves).

| kind | minutes |
| --- | ---: |
| green | 2 |
| black | 4 |

\`\`\`sh
brew --minutes 4
\`\`\``;
