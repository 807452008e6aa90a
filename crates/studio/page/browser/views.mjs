// Every view that a person meets, by name, on the sample runs.

import { open, saved } from "./exports.mjs";

/**
 * A view is the part of its address behind the page's own, or that and what a person does `then`, with the page as it is
 * shown there.
 */
export function views(threads) {
  const of = (kind, tab, more = "") => `#/threads/${threads[kind]}?tab=${tab}${more}`;
  const app = (kind, part) => `#/threads/${threads[kind]}${part === undefined ? "" : `?part=${part}`}`;
  return {
    runs: "#/runs",
    key: { view: "#/runs", then: askForKey },
    inbox: "#/inbox",
    "inbox-open": { view: "#/inbox", then: openFirst },
    start: "#/start",
    "start-approval": "#/start/approval",
    "start-fanout": "#/start/fanout",
    "start-chat": "#/start/echo_chat",
    "start-writehere": "#/start/writehere",
    "start-deepsearch": "#/start/deepsearch",
    "start-refused": { view: "#/start/ticker", then: startWrongly },
    "start-earlier": { view: "#/start/ticker", then: (page) => press(page, /Earlier inputs/) },
    graph: of("pipeline", "graph"),
    "graph-tasks": { view: of("pipeline", "graph"), then: (page) => press(page, /^plan/) },
    "graph-nested": of("inside", "graph"),
    "graph-fanout": of("fanout", "graph"),
    "graph-approval": of("asking", "graph"),
    "graph-failed": of("failed", "graph"),
    "graph-writehere": of("text", "graph"),
    "graph-deepsearch": of("report", "graph"),
    "graph-opened": { view: of("inside", "graph"), then: (page) => press(page, /^Open the graph inside child/) },
    timeline: of("fanout", "timeline"),
    "timeline-nested": of("nested", "timeline"),
    "timeline-failed": of("failed", "timeline"),
    "timeline-ticker": of("ticker", "timeline"),
    "timeline-deepsearch": of("report", "timeline"),
    "timeline-task": { view: of("report", "timeline"), then: openTask },
    "delete-thread": { view: of("fanout", "timeline"), then: (page) => press(page, "Delete") },
    meters: of("text", "meters"),
    "meters-task": { view: of("text", "meters"), then: openSlowestCall },
    state: of("pipeline", "state"),
    "state-chat": of("chat", "state"),
    "state-difference": { view: of("pipeline", "state"), then: onlyDifference },
    "state-deepsearch": of("report", "state"),
    history: of("pipeline", "history"),
    "history-branched": of("branched", "history"),
    "history-edit": { view: of("branched", "history"), then: editState },
    "history-compare": { view: of("branched", "history"), then: compare },
    questions: of("asking", "questions"),
    "questions-several": of("several", "questions"),
    "questions-answered": of("answered", "questions"),
    messages: of("chat", "messages"),
    documents: of("proposed", "documents"),
    "document-markdown": of("proposed", "documents", "&document=proposal.md"),
    "document-json": of("proposed", "documents", "&document=proposal.json"),
    "document-text": of("proposed", "documents", "&document=references.bib"),
    writehere: app("text"),
    "writehere-task": app("text", "1"),
    "writehere-source": { view: app("text"), then: (page) => press(page, /^Source 1:/) },
    "writehere-drawing": { view: app("text"), then: drawTree },
    "writehere-plan": app("plan"),
    "writehere-plan-changed": { view: app("plan"), then: changePlan },
    "deepsearch-questions": app("questions"),
    "deepsearch-outline-review": app("outline"),
    "deepsearch-changes": app("changes"),
    deepsearch: app("report"),
    "deepsearch-source": { view: app("report"), then: (page) => press(page, "Source 1: supported") },
    "deepsearch-sections": app("report", "sections"),
    "deepsearch-outline": app("report", "outline"),
    "deepsearch-provenance": app("report", "provenance"),
    "deepsearch-charts": app("report", "charts"),
    obsius: app("written"),
    "obsius-review": app("notes"),
    "pocketflow-queries": { view: app("queries"), then: unfold },
    "pocketflow-unsure": app("unsure"),
    "pocketflow-proposal": app("proposal"),
    "pocketflow-section": { view: app("proposal"), then: changeSection },
    pocketflow: { view: app("proposed"), then: unfold },
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
    "file-opened": { view: of("inside", "graph"), then: saveAndOpen },
    "file-opened-text": { view: app("text"), then: saveAndOpen },
    "no-thread": "#/threads/00000000-0000-7000-8000-000000000000",
  };
}

const press = (page, name) =>
  page
    .getByRole("button", { name, exact: typeof name === "string" })
    .first()
    .click();

async function askForKey(page) {
  // On a narrow screen the key is asked for from the menu.
  const menu = page.getByRole("button", { name: "Menu" });
  if (await menu.isVisible()) await menu.click();
  await press(page, "Key");
  await page.getByRole("dialog").waitFor();
}

async function openFirst(page) {
  const waiting = page.getByRole("listbox", { name: /^Threads that wait/ });
  await waiting.getByRole("option").first().click();
  await page.getByRole("region", { name: "Questions of the thread" }).waitFor();
}

async function startWrongly(page) {
  await page.getByRole("textbox", { name: "n", exact: true }).fill("many");
  await press(page, "Start");
}

async function openTask(page) {
  await page.getByRole("treeitem", { name: /^(outline|worker)\b/ }).first().click();
  await page.getByRole("complementary").waitFor();
}

async function openSlowestCall(page) {
  await page.getByRole("tabpanel").getByRole("region", { name: "By model" }).getByRole("button").first().click();
  await page.getByRole("complementary").getByRole("heading", { name: "Calls of models" }).waitFor();
}

async function onlyDifference(page) {
  await page.getByRole("checkbox", { name: /only what differs/ }).check();
}

const checkpoints = (page) => page.getByRole("listbox", { name: /^Checkpoints/ }).getByRole("option");

async function editState(page) {
  await checkpoints(page).filter({ hasText: /plan/ }).first().click();
  await press(page, "Edit state and fork");
  await page.getByRole("dialog").waitFor();
}

async function compare(page) {
  await checkpoints(page).filter({ hasText: /plan/ }).first().click();
  await press(page, "Compare");
  await checkpoints(page).first().click();
}

async function drawTree(page) {
  await press(page, "Drawing");
  await page.getByRole("img", { name: /^The tree of/ }).waitFor();
}

/** Changes a plan so that it cannot be used, and tries to. */
async function changePlan(page) {
  const plan = page.getByRole("form", { name: /Review the plan/ });
  await plan.getByRole("button", { name: "Remove task 2" }).click();
  await plan.getByRole("button", { name: "Add a task inside of task 1" }).click();
  await plan.getByRole("button", { name: "Use the changed plan" }).click();
}

/** Opens all that is folded. */
async function unfold(page) {
  await page.evaluate(() => document.querySelectorAll("main details").forEach((part) => (part.open = true)));
}

async function changeSection(page) {
  await unfold(page);
  await press(page, "Change section 1");
}

async function saveAndOpen(page) {
  const file = await saved(page);
  await page.goto(page.url().replace(/#.*/, "#/file"));
  await open(page, file);
  await page.getByRole("region", { name: "The saved export" }).waitFor();
}
