// The text of a report with its marks as links that the view understands.

import type { Result } from "./research.ts";

/** What a place in the report opens: a citation, a conclusion, a statement without a citation, a chart. */
export type Target = { is: "citation" | "conclusion" | "uncited"; id: number } | { is: "chart"; id: string };

/** A text that others wrote cannot name it, so that no link of theirs passes for a citation that was checked. */
const SECRET = Math.random().toString(36).slice(2);

const CITATION = /\[checked_citation:(\d+)\](?:\[\[\d+\]\]\((?:<[^>\n]*>|[^)\n]*)\))?/g;
/** A citation before it was checked. */
const TRACE = /\[source_tracer_result\]\[([^\]\n]*)\]\(([^)\n]*)\)/g;
const CHART = /^\(#insertChart:([A-Za-z0-9_-]+)\)[ \t]*$/gm;
const STRAY_CHART = /\(#insertChart:[A-Za-z0-9_-]+\)/g;
const INFERENCE = /\]\(#inference:(\d+)\)/g;
/** The sign behind a statement for which nothing but its writer speaks. */
export const SIGN = "†";

function address(target: Target): string {
  return `#${target.is}-${SECRET}-${target.id}`;
}

/** What a link of the report opens; nothing for a link of others. */
export function targetOf(url: string): Target | undefined {
  const [, is, id] = new RegExp(`^#(citation|conclusion|uncited|chart)-${SECRET}-(.+)$`).exec(url) ?? [];
  if (is === undefined || id === undefined) return undefined;
  return is === "chart" ? { is, id } : { is: is as "citation" | "conclusion" | "uncited", id: Number(id) };
}

/** The report as Markdown in which every mark is a link for [`targetOf`]. */
export function readable(result: Result): string {
  return signed(result)
    .replace(CITATION, (_, id: string) => `[${id}](${address({ is: "citation", id: Number(id) })})`)
    .replace(TRACE, (_, title: string, url: string) => ` ([${title}](${url}))`)
    .replace(INFERENCE, (_, id: string) => `](${address({ is: "conclusion", id: Number(id) })})`)
    .replace(CHART, (_, id: string) => `[${id}](${address({ is: "chart", id })})`)
    .replace(STRAY_CHART, "");
}

/** The report with a sign behind each statement that no checked statement supports. */
function signed({ report, uncited }: Result): string {
  const parts: string[] = [];
  let from = 0;
  let points = 0;
  let at = 0;
  for (const [number, statement] of uncited.entries()) {
    if (statement.basis === "derived") continue;
    while (points < statement.end && at < report.length) {
      at += (report.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
      points += 1;
    }
    if (points !== statement.end || at < from) continue;
    const part = report.slice(from, at);
    // An address would take the sign for its own.
    const gap = /(:\/\/|www\.)\S*$/.test(part) ? " " : "";
    parts.push(part, gap, `[${SIGN}](${address({ is: "uncited", id: number })})`);
    from = at;
  }
  return parts.join("") + report.slice(from);
}

/** The text of a source around what the verdict rests on, and that itself. */
export interface Passage {
  before: string;
  marked: string;
  after: string;
}

/** How many characters stand around what is marked. */
const AROUND = 600;

/** The passage of a citation, whose marked part stands in `<mark>`; that word in the source itself is escaped. */
export function passageOf(content: string): Passage {
  const [before = "", rest] = cut(content, "<mark>");
  const [marked, after] = rest === undefined ? ["", ""] : cut(rest, "</mark>");
  return rest === undefined ? shortened("", "", before) : shortened(before, marked ?? "", after ?? "");
}

function cut(text: string, at: string): [string, string | undefined] {
  const found = text.indexOf(at);
  return found < 0 ? [text, undefined] : [text.slice(0, found), text.slice(found + at.length)];
}

function shortened(before: string, marked: string, after: string): Passage {
  const plain = (text: string) => text.replaceAll("&lt;mark&gt;", "<mark>").replaceAll("&lt;/mark&gt;", "</mark>");
  const lead = before.length > AROUND ? `… ${before.slice(-AROUND)}` : before;
  const tail = after.length > AROUND ? `${after.slice(0, AROUND)} …` : after;
  return { before: plain(lead), marked: plain(marked), after: plain(tail) };
}

/** The part of a text between two of its bytes. */
export function bytesOf(text: string, [start, end]: [number, number]): string {
  return new TextDecoder().decode(new TextEncoder().encode(text).slice(start, end));
}

/** The lines of an inference; of each its words, and the references that it names as `《3》`. */
export function inferenceOf(inference: string): (string | number)[][] {
  const lines = inference.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => line.split(/《(\d+)》/).map((part, at) => (at % 2 === 1 ? Number(part) : part)));
}

/** A picture in base64 as an address for an image, in which no script runs; nothing for what is no base64. */
export function pictureAddress(base64: string): string | undefined {
  const text = base64.trim();
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? `data:image/svg+xml;base64,${text}` : undefined;
}

/** The drawing in a page of provenance, as an address for an image. */
export function drawingOf(page: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(page.trim()), (character) => character.charCodeAt(0));
    const html = new TextDecoder().decode(bytes);
    const [start, end] = [html.indexOf("<svg"), html.lastIndexOf("</svg>")];
    if (start < 0 || end < start) return undefined;
    return `data:image/svg+xml,${encodeURIComponent(html.slice(start, end + "</svg>".length))}`;
  } catch {
    return undefined;
  }
}
