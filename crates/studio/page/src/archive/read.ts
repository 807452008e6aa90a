// Reads a saved thread. A line that is broken ends the reading; one of another version is kept as it is.

import type { Assistant, Json, JsonObject, Run, Thread } from "../api/types.ts";
import { count, counted } from "../parts/text.ts";
import { Unexpected } from "../run/fold/read.ts";
import type { Drawing } from "../views/thread/graph/drawing.ts";
import type { Header, Line, Nodes, Refused, SavedState } from "./format.ts";
import { readLine, Unknown, VERSION } from "./format.ts";
import { linesOf, type NumberedLine, Unreadable } from "./lines.ts";

/** A line that is shown as it is. */
export interface RawLine {
  number: number;
  text: string;
  reason: string;
}

/** A state, without its values until it is asked for. */
export interface KeptState {
  id: string;
  brief: Omit<SavedState, "values">;
  /** The whole of it. */
  whole(): SavedState;
}

export interface KeptEvent {
  seq: number;
  method: string;
  /** The event as JSON. */
  text: string;
}

export interface Archive {
  header: Header;
  thread: Thread;
  runs: Run[];
  assistants: { assistant: Assistant; schemas: JsonObject | null }[];
  graphs: Map<string, { closed: Nodes; inside: Nodes }>;
  drawings: { graph: string; open: string[]; drawing: Drawing }[];
  events: KeptEvent[];
  /** Newest first, by the namespace. */
  states: Map<string, KeptState[]>;
  artifacts: Json[];
  refused: Refused[];
  /** Lines that are shown as they are. */
  raw: RawLine[];
  /** Why it is not all that was to be saved; `undefined` for a whole file. */
  incomplete: string | undefined;
}

/** A file of a later version: its lines, as many as are kept. */
export interface Later {
  version: number;
  lines: NumberedLine[];
  /** Lines that are not kept. */
  more: number;
}

/** A file that cannot be shown, by the line that is to blame. */
export class BrokenFile extends Error {
  constructor(
    readonly line: number,
    message: string,
    /** The beginning of the line. */
    readonly text: string,
  ) {
    super(message);
  }
}

/** Lines that are kept of a file of a later version. */
const KEPT = 20_000;
/** Characters of a broken line that are shown. */
const SHOWN = 400;

export interface Reading {
  onBytes?: (bytes: number) => void;
  signal?: AbortSignal;
  /** Characters of the longest line. */
  longest?: number;
}

/** Reads a file. */
export async function readArchive(
  stream: ReadableStream<Uint8Array>,
  { onBytes, signal, longest }: Reading = {},
): Promise<{ archive: Archive } | { later: Later }> {
  const building = new Building();
  try {
    for await (const lines of linesOf(stream, onBytes, longest)) {
      signal?.throwIfAborted();
      for (const line of lines) building.take(line);
    }
  } catch (error) {
    if (error instanceof Unreadable) throw new BrokenFile(error.line, error.message, "");
    throw error;
  }
  return building.done();
}

class Building {
  private header: Header | undefined;
  private thread: Thread | undefined;
  private later: Later | undefined;
  private end: { number: number; lines: number; counts: Record<string, number> } | undefined;
  private readonly counts = new Map<string, number>();
  /** Why the last line is no line. */
  private cut: string | undefined;
  private last = 0;
  private total = 0;
  private readonly rest: Omit<Archive, "header" | "thread" | "incomplete"> = {
    runs: [],
    assistants: [],
    graphs: new Map(),
    drawings: [],
    events: [],
    states: new Map(),
    artifacts: [],
    refused: [],
    raw: [],
  };

  take(line: NumberedLine): void {
    if (this.later !== undefined) {
      if (this.later.lines.length < KEPT) this.later.lines.push(line);
      else this.later.more += 1;
      return;
    }
    if (line.text.trim() === "") return;
    this.last = line.number;
    try {
      this.one(line);
    } catch (error) {
      if (error instanceof Unknown) {
        this.rest.raw.push({ number: line.number, text: line.text, reason: error.message });
        this.count(error.kind);
      } else if (error instanceof Unexpected && !line.isWhole && this.header !== undefined) {
        this.cut = "Its last line is cut off.";
      } else if (error instanceof Unexpected) {
        throw broken(line, sentence(error.message));
      } else throw error;
    }
  }

  private one(line: NumberedLine): void {
    if (this.header === undefined) return this.first(line);
    if (this.end !== undefined) throw broken(line, `It comes after the end, which is line ${this.end.number}.`);
    const read = readLine(line.text);
    this.put(read, line);
    this.count(read.kind);
  }

  private first(line: NumberedLine): void {
    let read: Line;
    try {
      read = readLine(line.text);
    } catch (error) {
      if (!(error instanceof Unexpected || error instanceof Unknown)) throw error;
      throw broken(line, `This is no export of a thread: ${error.message.replace(/\.?$/, ".")}`);
    }
    if (read.kind !== "export") throw broken(line, "This is no export of a thread: its first line does not say so.");
    this.header = read;
    this.count("export");
    if (read.version > VERSION) this.later = { version: read.version, lines: [line], more: 0 };
  }

  private put(read: Line, line: NumberedLine): void {
    const { rest } = this;
    switch (read.kind) {
      case "export":
        throw broken(line, "A second export begins here.");
      case "thread":
        if (this.thread !== undefined) throw broken(line, "It is a second thread.");
        this.thread = read.thread;
        return;
      case "run":
        rest.runs.push(read.run);
        return;
      case "assistant":
        rest.assistants.push({ assistant: read.assistant, schemas: read.schemas });
        return;
      case "graph":
        rest.graphs.set(read.graph, { closed: read.closed, inside: read.inside });
        return;
      case "drawing":
        rest.drawings.push({ graph: read.graph, open: read.open, drawing: read.drawing });
        return;
      case "event": {
        const { seq, method } = read.event;
        const before = rest.events.at(-1)?.seq ?? -1;
        if (seq <= before) {
          throw broken(line, `The number of its event is ${seq}, and that of the one before ${before}.`);
        }
        rest.events.push({ seq, method, text: JSON.stringify(read.event) });
        return;
      }
      case "state":
        this.state(read.state, line);
        return;
      case "artifacts":
        rest.artifacts = read.artifacts;
        return;
      case "refused":
        rest.refused.push(read);
        return;
      case "end":
        this.end = { number: line.number, lines: read.lines, counts: read.counts };
        return;
    }
  }

  private state(state: SavedState, line: NumberedLine): void {
    const ns = state.checkpoint.checkpoint_ns;
    const { values: _, ...brief } = state;
    const whole = () => (JSON.parse(line.text) as { state: SavedState }).state;
    const kept = { id: state.checkpoint_id, brief, whole };
    const known = this.rest.states.get(ns);
    if (known === undefined) this.rest.states.set(ns, [kept]);
    else known.push(kept);
  }

  done(): { archive: Archive } | { later: Later } {
    if (this.header === undefined) throw new BrokenFile(1, "The file is empty.", "");
    if (this.later !== undefined) return { later: this.later };
    if (this.thread === undefined) {
      throw new BrokenFile(this.last + 1, "The file ends before its thread: nothing of it can be shown.", "");
    }
    return { archive: { header: this.header, thread: this.thread, ...this.rest, incomplete: this.missing() } };
  }

  /** What is missing, by the last line. */
  private missing(): string | undefined {
    if (this.end === undefined) {
      return `${this.cut ?? "Its last line is missing."} What came before it is shown: ${counted(this.total, "line")}.`;
    }
    const { lines, counts } = this.end;
    const kinds = new Set([...Object.keys(counts), ...this.counts.keys()].filter((kind) => kind !== "end"));
    const wrong = [...kinds].flatMap((kind) => {
      const [told, found] = [counts[kind] ?? 0, this.counts.get(kind) ?? 0];
      if (told === found) return [];
      return [`${counted(told, "line")} of the kind ${JSON.stringify(kind)}, and it has ${count(found)}`];
    });
    const before = this.total - 1;
    if (wrong.length === 0 && before !== lines) {
      wrong.push(`${counted(lines, "line")} before it, and it has ${count(before)}`);
    }
    return wrong.length === 0 ? undefined : `By its last line it was to have ${wrong.join("; ")}.`;
  }

  private count(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    this.total += 1;
  }
}

function broken(line: NumberedLine, message: string): BrokenFile {
  return new BrokenFile(line.number, message, line.text.slice(0, SHOWN));
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
