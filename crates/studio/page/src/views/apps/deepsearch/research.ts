// What DeepSearch's own graph keeps, as far as the view shows it. The field names are those of its state.

import type { Json, JsonObject } from "../../../api/types.ts";
import { numberOf, objectOf, objectsOf, type Span, spanOf, textOf, textsOf } from "../read.ts";

export interface Outline {
  title: string;
  thought: string;
  sections: Section[];
}

export interface Section {
  id: string;
  title: string;
  description: string;
  isCore: boolean;
  /** The sections that it builds on, and how. */
  parents: string[];
  relationships: string[];
}

export type Verdict = "supported" | "contradicted" | "not_found" | "not_checked";

/** A citation of the report, after it was checked. */
export interface Citation {
  id: number;
  /** The number in the list of references, from 1. */
  reference: number;
  url: string;
  title: string;
  /** The text of the source, with `<mark>` around what the verdict rests on. */
  content: string;
  /** The statement that it stands behind. */
  statement: string;
  published: string;
  verdict: Verdict;
}

/** A conclusion of the report, and the steps to it. */
export interface Conclusion {
  id: number;
  text: string;
  inference: string;
  /** A page with the drawing of its reasons, in base64. */
  page: string;
}

export type Basis = "derived" | "own" | "contradicted" | "not_checked";

/** A statement of the report without a citation. */
export interface Uncited {
  text: string;
  /** Where it ends in the report, in code points. */
  end: number;
  basis: Basis;
  citations: number[];
}

export interface Chart {
  id: string;
  title: string;
  description: string;
  /** SVG in base64. */
  picture: string;
  data: { label: string; said: string; sources: { evidence: string; span: Span | undefined }[] }[];
}

export interface Result {
  /** The report in Markdown, with marks of its citations. */
  report: string;
  citations: Citation[];
  /** Why citations were not checked; empty where they were. */
  unchecked: string;
  conclusions: Conclusion[];
  uncited: Uncited[];
  charts: Chart[];
}

export interface Document {
  id: string;
  url: string;
  title: string;
  text: string;
  query: string;
}

export interface Notice {
  code: string;
  severity: string;
  message: string;
  section: string;
}

export interface Research {
  query: string;
  questions: string;
  answer: string;
  outline: Outline | undefined;
  outlines: number;
  result: Result;
  /** What the sections rest on, by id. */
  documents: ReadonlyMap<string, Document>;
  notices: Notice[];
  notes: string[];
}

export function researchOf(values: JsonObject): Research {
  const outline = objectOf(values.current_outline);
  const documents = [values.all_classified_contents, objectOf(values.report).all_classified_contents];
  const found = documents.flatMap((one) => (Array.isArray(one) ? one : [])).flatMap(objectsOf);
  return {
    query: textOf(values.query) || textOf(objectOf(values.request).query),
    questions: textOf(values.questions),
    answer: textOf(values.user_feedback),
    outline: Object.keys(outline).length > 0 ? outlineOf(outline) : undefined,
    outlines: numberOf(values.outline_executed_num) ?? 0,
    result: resultOf(values),
    documents: new Map(found.map(documentOf).map((one) => [one.id, one])),
    notices: objectsOf(values.notices).map((notice) => ({
      code: String(notice.code ?? ""),
      severity: textOf(notice.severity),
      message: textOf(notice.message),
      section: textOf(notice.section),
    })),
    notes: textsOf(values.notes),
  };
}

export function outlineOf(value: Json | undefined): Outline {
  const outline = objectOf(value);
  return {
    title: textOf(outline.title),
    thought: textOf(outline.thought),
    sections: objectsOf(outline.sections).map((section) => ({
      id: String(section.id ?? ""),
      title: textOf(section.title),
      description: textOf(section.description),
      isCore: section.is_core_section === true,
      parents: textsOf(section.parent_ids),
      relationships: textsOf(section.relationships),
    })),
  };
}

export function documentOf(document: JsonObject): Document {
  return {
    id: textOf(document.id),
    url: textOf(document.url),
    title: textOf(document.title),
    text: textOf(document.text),
    query: textOf(document.query),
  };
}

const VERDICTS: readonly string[] = ["supported", "contradicted", "not_found"];
const BASES: readonly string[] = ["derived", "own", "contradicted"];

/** The result; before it, the report as it was put together, whose citations nobody has checked yet. */
function resultOf(values: JsonObject): Result {
  const result = objectOf(values.final_result);
  const messages = objectOf(result.citation_messages);
  const report = textOf(result.response_content) || textOf(objectOf(values.report).report_content);
  return {
    report,
    citations: objectsOf(messages.data).map((one) => ({
      id: numberOf(one.id) ?? -1,
      reference: numberOf(one.reference_index) ?? 0,
      url: textOf(one.url),
      title: textOf(one.title),
      content: textOf(one.content),
      statement: textOf(one.chunk),
      published: textOf(one.publish_time),
      verdict: (VERDICTS.includes(textOf(one.verdict)) ? textOf(one.verdict) : "not_checked") as Verdict,
    })),
    unchecked: (numberOf(messages.code) ?? 0) === 0 ? "" : textOf(messages.msg),
    conclusions: objectsOf(result.infer_messages).map((one) => ({
      id: numberOf(one.id) ?? -1,
      text: textOf(one.conclusion),
      inference: textOf(one.inference),
      page: textOf(one.html_base64),
    })),
    uncited: objectsOf(result.statement_messages).map((one) => ({
      text: textOf(one.text),
      end: numberOf(one.end_offset) ?? 0,
      basis: (BASES.includes(textOf(one.standing)) ? textOf(one.standing) : "not_checked") as Basis,
      citations: Array.isArray(one.citation_ids) ? one.citation_ids.filter((id) => typeof id === "number") : [],
    })),
    charts: objectsOf(result.chart_messages).map((one) => ({
      id: textOf(one.chart_id),
      title: textOf(one.chart_title),
      description: textOf(one.description),
      picture: textOf(one.base64),
      data: objectsOf(one.data).map((datum) => ({
        label: textOf(datum.label),
        said: textOf(datum.said),
        sources: objectsOf(datum.sources).map((source) => ({
          evidence: textOf(source.evidence_id),
          span: spanOf(source.span),
        })),
      })),
    })),
  };
}
