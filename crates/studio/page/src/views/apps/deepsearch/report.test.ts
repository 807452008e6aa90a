import assert from "node:assert/strict";
import { test } from "node:test";
import { best, joined, placed, provenanceOf } from "./provenance.ts";
import { bytesOf, drawingOf, inferenceOf, passageOf, pictureAddress, readable, targetOf } from "./report.ts";
import { researchOf } from "./research.ts";

const citation = (id: number, reference: number, chunk: string, verdict: string) => ({
  ...{ id, reference_index: reference, chunk, verdict, url: `notes/${reference}.md`, title: `Note ${reference}` },
  content: "Before it. <mark>It is so.</mark> After it, &lt;mark&gt; is a word.",
});

const RESULT = {
  response_content:
    "# T\n\n𝒯 says it[checked_citation:0][[1]](notes/1.md)[checked_citation:1][[2]](<a b.md>). Own words. " +
    "[So it is](#inference:1)[checked_citation:2][[1]](notes/1.md).\n\n(#insertChart:chart_1)\n\nNo (#insertChart:chart_1) here.\n\n" +
    "[1](#citation-x-0)\n",
  citation_messages: {
    code: 0,
    data: [
      citation(0, 1, "𝒯 says it.", "supported"),
      citation(1, 2, "𝒯 says it.", "not_found"),
      citation(2, 1, "So it is.", "supported"),
    ],
  },
  infer_messages: [{ id: 1, conclusion: "So it is", inference: "From 《1》.\n\nAnd so.", html_base64: "" }],
  statement_messages: [{ text: "Own words.", start_offset: 0, end_offset: 0, standing: "own", citation_ids: [] }],
  chart_messages: [],
};

function result() {
  const statement = RESULT.statement_messages[0]!;
  statement.end_offset = [
    ...RESULT.response_content.slice(0, RESULT.response_content.indexOf("Own words.") + 10),
  ].length;
  return researchOf({ final_result: RESULT }).result;
}

test("the marks of a report become links that only the view can make", () => {
  const text = readable(result());
  const links = [...text.matchAll(/\]\((#[^)]*)\)/g)].map(([, url]) => targetOf(url ?? ""));
  assert.deepEqual(links, [
    { is: "citation", id: 0 },
    { is: "citation", id: 1 },
    { is: "uncited", id: 0 },
    { is: "conclusion", id: 1 },
    { is: "citation", id: 2 },
    { is: "chart", id: "chart_1" },
    // What a model wrote is no citation.
    undefined,
  ]);
  assert.match(text, /Own words\.\[†\]/, "code points count, and not halves of them");
  assert.ok(!text.includes("checked_citation") && !text.includes("insertChart"));
  assert.ok(!text.includes("notes/1.md"), "an address stands in the panel");
});

test("a report that was not checked yet shows its sources by name", () => {
  const { result: early } = researchOf({ report: { report_content: "So.[source_tracer_result][A note](notes/a.md)" } });
  assert.equal(readable(early), "So. ([A note](notes/a.md))");
  assert.deepEqual(early.citations, []);
});

test("the passage of a citation is told apart from what stands around it", () => {
  const passage = passageOf(RESULT.citation_messages.data[0]!.content);
  assert.deepEqual(passage, { before: "Before it. ", marked: "It is so.", after: " After it, <mark> is a word." });
  assert.deepEqual(passageOf("Nothing is marked."), { before: "", marked: "", after: "Nothing is marked." });
  assert.equal(passageOf(`${"x".repeat(2000)}<mark>y</mark>`).before.length, 602);
});

test("what a conclusion rests on is read with its references", () => {
  assert.deepEqual(inferenceOf("From 《1》《23》 and 《书》.\n\nAnd so."), [
    ["From ", 1, "", 23, " and 《书》."],
    ["And so."],
  ]);
  assert.equal(bytesOf("äöü is so", [2, 6]), "öü");
});

test("only a picture in base64 is shown, and of a page only its drawing", () => {
  assert.equal(pictureAddress("PHN2Zz4="), "data:image/svg+xml;base64,PHN2Zz4=");
  assert.equal(pictureAddress('x" onerror="y'), undefined);
  const page = btoa("<html><script>x</script><svg><text>ä</text></svg></html>");
  assert.ok(drawingOf(page)?.startsWith("data:image/svg+xml,%3Csvg%3E"));
  assert.ok(!drawingOf(page)?.includes("script"));
  assert.equal(drawingOf("no base64 §"), undefined);
  assert.equal(drawingOf(btoa("<p>none</p>")), undefined);
});

test("statements are joined with their sources, and conclusions are statements", () => {
  const provenance = provenanceOf(result());
  assert.deepEqual(
    provenance.cited.map(({ key, text, conclusion }) => [key, text, conclusion?.id]),
    [
      ["t0", "𝒯 says it.", undefined],
      ["t1", "So it is.", 1],
    ],
  );
  assert.deepEqual(provenance.edges, [
    { from: "t0", to: "r1", kind: "supported" },
    { from: "t0", to: "r2", kind: "not_found" },
    { from: "t1", to: "r1", kind: "supported" },
  ]);
  assert.deepEqual([...joined(provenance, "r2")].sort(), ["r2", "t0"]);
  assert.deepEqual([...joined(provenance, "t0")].sort(), ["r1", "r2", "t0"]);
  assert.equal(best(["not_found", "supported"]), "supported");
});

test("nodes stand near what they are joined with, and never on one another", () => {
  const wanted: Record<string, number> = { a: 300, b: 290, c: 0 };
  const places = placed(["a", "b", "c"], (key) => wanted[key], 76);
  assert.deepEqual(Object.fromEntries(places), { c: 0, b: 290, a: 366 });
});

test("a state that says nothing is an empty research", () => {
  const research = researchOf({ final_result: 3, notices: [4], current_outline: null, report: [] });
  assert.equal(research.outline, undefined);
  assert.equal(research.result.report, "");
  assert.deepEqual(research.notices, []);
});
