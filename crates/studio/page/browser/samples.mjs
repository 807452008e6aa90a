// Runs as the views are shown with: one of every kind that a person meets.

/** Makes them on a server, and answers the ids of their threads by kind, and of what is beside threads. */
export async function samples(served) {
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
  await served.ask("POST", `/threads/${threads.answered}/runs/wait`, {
    assistant_id: "approval",
    command: { resume: "approve" },
  });
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

/** The views by name, as the part of the address behind the page's own. */
export function views(threads) {
  const of = (kind, tab) => `#/threads/${threads[kind]}?tab=${tab}`;
  return {
    runs: "#/runs",
    inbox: "#/inbox",
    start: "#/start",
    "start-approval": "#/start/approval",
    "start-fanout": "#/start/fanout",
    "start-chat": "#/start/echo_chat",
    graph: of("pipeline", "graph"),
    "graph-nested": of("inside", "graph"),
    "graph-fanout": of("fanout", "graph"),
    "graph-approval": of("asking", "graph"),
    "graph-failed": of("failed", "graph"),
    timeline: of("fanout", "timeline"),
    "timeline-nested": of("nested", "timeline"),
    "timeline-failed": of("failed", "timeline"),
    "timeline-ticker": of("ticker", "timeline"),
    state: of("pipeline", "state"),
    "state-chat": of("chat", "state"),
    history: of("pipeline", "history"),
    "history-branched": of("branched", "history"),
    questions: of("asking", "questions"),
    "questions-several": of("several", "questions"),
    messages: of("chat", "messages"),
    assistants: "#/assistants",
    "assistant-one": `#/assistants/${threads.ada}`,
    "assistant-versions": `#/assistants/${threads.ada}?tab=versions`,
    "assistant-change": `#/assistants/${threads.ada}?tab=change`,
    "assistant-new": "#/assistants/new",
    store: "#/store",
    "store-new": "#/store?new=yes",
    schedules: "#/schedules",
    "schedule-one": `#/schedules/${threads.cron}`,
    "schedule-new": "#/schedules/new",
    file: "#/file",
    "no-thread": "#/threads/00000000-0000-7000-8000-000000000000",
  };
}
