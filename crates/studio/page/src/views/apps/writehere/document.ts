// The text as far as it is written: its parts in the order in which they stand in it.

import { countWords, MARK } from "./length.ts";
import type { Node } from "./node.ts";
import { executionOf } from "./rows.ts";
import type { Evidence, Reference } from "./sources.ts";
import type { Finished, Writing } from "./state.ts";

export interface Part {
  /** The key of the row whose text it is. */
  key: string;
  /** The key of the node that writes it. */
  work: string;
  goal: string;
  length: string | undefined;
  text: string;
  /** A part may be left out: then it is done, and has no text. */
  state: "written" | "writing" | "open" | "failed" | "out";
}

/** The parts of the text: every write task with nothing planned inside. `underWay` has the keys of those at work. */
export function partsOf({ nodes }: Pick<Writing, "nodes">, underWay: ReadonlySet<string>): Part[] {
  const parts: Part[] = [];
  const add = (key: string) => {
    const node = nodes.get(key);
    if (node === undefined) return;
    const execution = executionOf(nodes, node) ?? (node.isLeaf ? node : undefined);
    if (execution === undefined && node.inner.length > 0) {
      // Write tasks wait for those before them, so the order of the work is that of the text.
      for (const inner of node.queue.length > 0 ? node.queue : node.inner) add(inner);
    } else if (node.type === "write") {
      parts.push(partOf(node, execution, underWay));
    }
  };
  add("root");
  return parts;
}

function partOf(node: Node, execution: Node | undefined, underWay: ReadonlySet<string>): Part {
  const written = execution?.results.find((result) => result.action === "execute")?.text.trim() ?? "";
  const isFailed = node.status === "FAILED" || execution?.status === "FAILED";
  const isDone = execution?.status === "FINISH" || node.status === "FINISH";
  const work = execution?.key ?? node.key;
  const ended = written !== "" ? "written" : isDone ? "out" : isFailed ? "failed" : "open";
  const state = underWay.has(work) ? "writing" : ended;
  return { key: node.key, work, goal: execution?.goal ?? node.goal, length: node.length, text: written, state };
}

export interface Progress {
  done: number;
  failed: number;
  tasks: number;
  words: number;
  wanted: number | undefined;
}

/** How far it has come. A task and the one that carries it out count once. */
export function progressOf(writing: Writing, parts: readonly Part[], wanted: number | undefined): Progress {
  const inside = new Set([...writing.nodes.values()].flatMap((node) => executionOf(writing.nodes, node)?.key ?? []));
  const tasks = [...writing.nodes.values()].filter((node) => !inside.has(node.key));
  const of = (status: string) => tasks.filter((node) => node.status === status).length;
  const words = writing.finished?.words ?? parts.reduce((sum, part) => sum + countWords(part.text), 0);
  return { done: of("FINISH"), failed: of("FAILED"), tasks: tasks.length, words, wanted };
}

/** The text of a finished run without its list of references, which is shown beside it. */
export function bodyOf({ text, references }: Finished): string {
  if (references.length === 0) return text;
  const list = text.lastIndexOf("\n\n## References\n\n[");
  return list < 0 ? text : text.slice(0, list);
}

/** Sources with numbers: those of the finished text, or in the order in which parts cite them. */
export function numbered(
  parts: readonly Pick<Part, "text">[],
  evidence: ReadonlyMap<string, Evidence>,
): Map<string, Reference> {
  const bySource = new Map<string, Reference>();
  const byId = new Map<string, Reference>();
  for (const id of parts.flatMap((part) => citedIn(part.text))) {
    const found = evidence.get(id);
    if (found === undefined || byId.has(id)) continue;
    const source = found.url ?? found.source;
    const known = bySource.get(source);
    const reference = known ?? {
      number: bySource.size + 1,
      evidence: [],
      title: found.title,
      places: [found.source],
    };
    bySource.set(source, reference);
    reference.evidence.push(id);
    if (found.place !== "") reference.places.push(found.place);
    byId.set(id, reference);
  }
  return byId;
}

/** The ids that marks in a text cite, in their order. */
export function citedIn(text: string): string[] {
  return [...text.matchAll(MARK)].flatMap(([mark]) => idsOf(mark));
}

/** The ids of one mark. */
export function idsOf(mark: string): string[] {
  const ids = mark.slice(1, -1).replace(/^[^:：]*[:：]/, "");
  return ids
    .split(/[,;，]/)
    .map((id) => id.trim().replace(/^[`"']+|[`"'\\]+$/g, ""))
    .filter((id) => id !== "");
}
