// Saves the thread as a file that can be looked at without the server, and says how far that has come.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { told } from "../../api/http.ts";
import { fileName, type Sink, sinkFor } from "../../archive/save.ts";
import { exported, type Written } from "../../archive/write.ts";
import { api } from "../../connection.ts";
import { Problem } from "../../parts/basics.tsx";
import { counted, visible } from "../../parts/text.ts";

/** How often it is said how far it has come, in milliseconds. */
const PACE = 200;

type Standing =
  | { is: "nothing" }
  | { is: "under way"; written: Written | undefined }
  | { is: "done"; name: string; written: Written | undefined; wasRunning: boolean }
  | { is: "failed"; reason: string };

export interface ExportProps {
  thread: string;
  graph: string | undefined;
  /** Whether the thread runs. */
  isRunning: boolean;
}

export interface Exporting {
  button: JSX.Element;
  /** What came of it, for a place below. */
  said: JSX.Element;
}

export function useExport({ thread, graph, isRunning }: ExportProps): Exporting {
  const standing = useSignal<Standing>({ is: "nothing" });
  const ended = useRef<AbortController>(undefined);
  useEffect(() => () => ended.current?.abort(), [thread]);

  const run = async () => {
    const stop = new AbortController();
    ended.current = stop;
    const name = fileName(graph, thread, new Date());
    let sink: Sink | undefined;
    try {
      sink = await sinkFor(name);
      if (sink === undefined || stop.signal.aborted) return;
      standing.value = { is: "under way", written: undefined };
      let written: Written | undefined;
      let said = 0;
      const onLine = (now: Written) => {
        written = now;
        if (performance.now() - said < PACE) return;
        said = performance.now();
        standing.value = { is: "under way", written: { lines: now.lines, counts: { ...now.counts } } };
      };
      for await (const line of exported(api.peek(), { thread, signal: stop.signal, onLine })) await sink.write(line);
      await sink.done();
      standing.value = { is: "done", name, written, wasRunning: isRunning };
    } catch (error) {
      await sink?.drop().catch(() => undefined);
      standing.value = stop.signal.aborted ? { is: "nothing" } : { is: "failed", reason: told(error) };
    }
  };
  const now = standing.value;
  const button = (
    <button
      type="button"
      disabled={now.is === "under way"}
      title="Saves the thread as a file: its runs, events, states and graph"
      onClick={() => void run()}
    >
      Export
    </button>
  );
  const close = () => (standing.value = { is: "nothing" });
  return { button, said: <Said now={now} onCancel={() => ended.current?.abort()} onClose={close} /> };
}

interface SaidProps {
  now: Standing;
  onCancel: () => void;
  onClose: () => void;
}

function Said({ now, onCancel, onClose }: SaidProps): JSX.Element | null {
  if (now.is === "nothing") return null;
  if (now.is === "failed") return <Problem>The thread could not be exported: {visible(now.reason)}</Problem>;
  if (now.is === "under way") {
    return (
      <div class="row notice">
        <span role="status">The thread is being exported …</span>
        <span class="quiet">{inWords(now.written)}</span>
        <button type="button" onClick={onCancel}>
          Cancel the export
        </button>
      </div>
    );
  }
  return (
    <div class="row notice">
      <span role="status">
        Exported as {now.name}: {inWords(now.written)}.
        {now.wasRunning && " The thread is running: what it does from now on is not in the file."}
      </span>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </div>
  );
}

function inWords(written: Written | undefined): string {
  if (written === undefined) return "";
  const { event = 0, state = 0 } = written.counts;
  return `${counted(written.lines, "line")} with ${counted(event, "event")} and ${counted(state, "state")}`;
}
