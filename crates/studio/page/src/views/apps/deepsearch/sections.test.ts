import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../../api/types.ts";
import { Fold } from "../../../run/fold.ts";
import type { RunModel } from "../../../run/model.ts";
import { stagesOf } from "./place.ts";
import { outlineOf } from "./research.ts";
import { sectionsOf } from "./sections.ts";

const MAIN = "research:m";
const TEAM = "editor_team:t";
const ONE = "section:one";

/** Events as a server tells them of a research with two sections. */
class Told {
  private readonly fold = new Fold();
  private seq = 0;

  event(method: string, namespace: string[], data: Json, more: object = {}): this {
    this.seq += 1;
    const params = { namespace, timestamp: this.seq * 10, data, ...more };
    this.fold.take([{ seq: this.seq, event_id: `${this.seq}-0`, method, params } as never]);
    return this;
  }

  begins(namespace: string[], name: string, id: string, input: Json = {}): this {
    const triggers = typeof input === "string" ? ["__pregel_push"] : [`branch:to:${name}`];
    return this.event("tasks", namespace, { id, name, input, triggers });
  }

  ends(namespace: string[], name: string, id: string, result: Json = {}): this {
    return this.event("tasks", namespace, { id, name, error: null, result, interrupts: [] });
  }

  calls(namespace: string[], graph: string): this {
    const data = { event: "started", graph_name: graph, trigger_call_id: namespace.at(-1)?.split(":")[1] ?? "" };
    return this.event("lifecycle", namespace, data);
  }

  get model(): RunModel {
    return this.fold.model;
  }
}

const OUTLINE = outlineOf({
  title: "T",
  sections: [
    { id: "1", title: "One" },
    { id: "2", title: "Two" },
  ],
});
const STEP = { id: "1-1-1", title: "how it works", description: "find it", retrieval_queries: [], step_result: null };
const DOCUMENT = { id: "d1", url: "notes/a.md", title: "A", text: "words", query: "log" };

function begun(): Told {
  return new Told()
    .event("lifecycle", [], { event: "running", graph_name: "deepsearch" })
    .begins([], "research", "m")
    .calls([MAIN], "deepsearch")
    .begins([MAIN], "outline", "o")
    .ends([MAIN], "outline", "o")
    .begins([MAIN], "editor_team", "t")
    .calls([MAIN, TEAM], "editor_team")
    .begins([MAIN, TEAM], "section", "one", "1")
    .calls([MAIN, TEAM, ONE], "section")
    .begins([MAIN, TEAM, ONE], "plan_reasoning", "p");
}

test("a section is planned, searched for, written and cited", () => {
  const told = begun();
  const now = () => sectionsOf(told.model, OUTLINE.sections, {});
  assert.deepEqual(
    now().map((work) => [work.status, work.now]),
    [
      ["running", "plan"],
      ["waiting", undefined],
    ],
  );
  const inside = [MAIN, TEAM, ONE];
  told.ends(inside, "plan_reasoning", "p", { plans: [[1, { id: "1-1", steps: [STEP] }]] });
  const steps = [...inside, "info_collector:i"];
  told.begins(inside, "info_collector", "i").calls(steps, "steps").begins(steps, "collector", "c", "1-1-1");
  const collector = [...steps, "collector:c"];
  told.calls(collector, "collector").begins(collector, "collector_query_generation", "q");
  told.ends(collector, "collector_query_generation", "q", { search_queries: [{ query: "log" }] });
  let [one] = now();
  assert.equal(one?.now, "search");
  assert.deepEqual(one?.steps[0]?.searches, [{ query: "log", found: undefined }]);
  assert.equal(one?.steps[0]?.status, "running");

  told.begins(collector, "collector_info_retrieval", "r");
  const found = { history_queries: [{ query: "log", doc_infos: ["d1"] }], doc_infos: [DOCUMENT], search_queries: [] };
  told.ends(collector, "collector_info_retrieval", "r", found);
  [one] = now();
  assert.deepEqual(one?.steps[0]?.searches, [{ query: "log", found: ["d1"] }]);
  assert.equal(one?.documents.get("d1")?.title, "A");

  const done = { ...STEP, step_result: "It is so.", evaluation: "good" };
  told.ends(steps, "collector", "c", { done: [["1-1-1", done]], evidence: [["d1", DOCUMENT]] });
  told.ends(inside, "info_collector", "i").begins(inside, "sub_reporter", "w");
  for (const content of ["It is ", "writ"]) {
    told.event("custom", inside, { name: "message", payload: { content } }, { node: "sub_reporter", task: "w" });
  }
  [one] = now();
  assert.deepEqual([one?.now, one?.text, one?.isWritten], ["write", "It is writ", false]);
  assert.deepEqual([one?.steps[0]?.status, one?.steps[0]?.result], ["done", "It is so."]);

  const report = { section_id: "1", content: { sub_report_content_text: "It is written." } };
  told.ends(inside, "sub_reporter", "w", { sub_report: report }).ends([MAIN, TEAM], "section", "one");
  [one] = now();
  assert.deepEqual([one?.status, one?.text, one?.isWritten], ["done", "It is written.", true]);
  assert.ok(one?.did.has("write") && !one.did.has("cite"));
});

test("sections of a state without events are as the state has them", () => {
  const plans = [
    { id: "1-1", steps: [{ ...STEP, step_result: "found", retrieval_queries: [{ query: "log", doc_infos: ["d1"] }] }] },
  ];
  const values = {
    current_outline: { title: "T", sections: [{ id: "1", title: "One", plans }] },
    report: { sub_reports: [{ section_id: "1", content: { sub_report_content_text: "Text." } }] },
    unwritten: [{ section_id: "1" }],
  };
  const [one, two] = sectionsOf(new Told().model, OUTLINE.sections, values);
  assert.deepEqual([one?.status, one?.text, one?.isQuoted], ["done", "Text.", true]);
  assert.deepEqual(one?.steps[0]?.searches, [{ query: "log", found: ["d1"] }]);
  assert.equal(two?.status, "waiting");
});

test("the stages of a research say what is done and what is under way", () => {
  const stages = stagesOf(begun().model).map(({ id, status }) => [id, status]);
  assert.deepEqual(stages, [
    ["questions", undefined],
    ["outline", "done"],
    ["sections", "running"],
    ["report", undefined],
    ["checks", undefined],
    ["done", undefined],
  ]);
});
