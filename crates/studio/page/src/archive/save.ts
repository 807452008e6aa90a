// Where the lines of an export go: into a file that the person chooses, or where that cannot be, a download.

import { saveBlob } from "../parts/save-blob.ts";
import { MEDIA_TYPE } from "./format.ts";

/** Takes up text until it is done or dropped. */
export interface Sink {
  write(text: string): Promise<void>;
  /** All is there: the file is as it is to be. */
  done(): Promise<void>;
  /** Nothing is kept. */
  drop(): Promise<void>;
}

interface Writable {
  write(data: string): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
}

type Picker = (options: object) => Promise<{ createWritable(): Promise<Writable> }>;

/** Characters that are written at a time. */
const BATCH = 1 << 20;

/** A place for a file of this name; `undefined` where the person chose none. To be called at the press of a button. */
export async function sinkFor(name: string): Promise<Sink | undefined> {
  const picker = (globalThis as { showSaveFilePicker?: Picker }).showSaveFilePicker;
  if (picker === undefined) return batched(download(name));
  try {
    const types = [{ description: "Export of a thread", accept: { [MEDIA_TYPE]: [".jsonl"] } }];
    const file = await picker({ suggestedName: name, types });
    const writable = await file.createWritable();
    return batched({
      write: (text) => writable.write(text),
      done: () => writable.close(),
      drop: () => writable.abort(),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return undefined;
    // A page in a frame, or one without the right to ask, still has downloads.
    if (error instanceof DOMException && error.name === "SecurityError") return batched(download(name));
    throw error;
  }
}

/** Gathers small texts. */
export function batched(sink: Sink, size = BATCH): Sink {
  let parts: string[] = [];
  let length = 0;
  const flush = async () => {
    if (length === 0) return;
    const text = parts.join("");
    parts = [];
    length = 0;
    await sink.write(text);
  };
  return {
    write: async (text) => {
      parts.push(text);
      length += text.length;
      if (length >= size) await flush();
    },
    done: async () => {
      await flush();
      await sink.done();
    },
    drop: () => sink.drop(),
  };
}

/** Gathers the text outside of the page's memory, and hands it to the browser at the end. */
function download(name: string): Sink {
  let parts: Blob[] = [];
  return {
    write: async (text) => void parts.push(new Blob([text])),
    done: async () => {
      saveBlob(new Blob(parts, { type: MEDIA_TYPE }), name);
      parts = [];
    },
    drop: async () => void (parts = []),
  };
}

/** The name of the file. */
export function fileName(graph: string | undefined, thread: string, at: Date): string {
  const safe = (text: string) => text.replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, 60);
  // Threads that were made one after the other begin alike.
  return `graphloom-${safe(graph ?? "thread")}-${safe(thread.slice(-8))}-${at.toISOString().slice(0, 10)}.jsonl`;
}
