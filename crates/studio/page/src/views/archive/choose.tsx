// Where a file is chosen or dropped, and what is said of one that cannot be read.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { told } from "../../api/http.ts";
import { ArchiveApi } from "../../archive/api.ts";
import { BrokenFile, type Later, readArchive } from "../../archive/read.ts";
import { archive } from "../../connection.ts";
import { Problem } from "../../parts/basics.tsx";
import { bytes, visible } from "../../parts/text.ts";
import { go, link, route } from "../../route.ts";
import { LaterFile } from "./later.tsx";

type Standing =
  | { is: "nothing" }
  | { is: "reading"; name: string; read: number; size: number }
  | { is: "later"; name: string; later: Later }
  | { is: "broken"; name: string; reason: string; line?: number; text?: string };

/** How often it is said how far the reading has come, in milliseconds. */
const PACE = 100;

/** `wanted` is the thread that the address names: after a reload its file has to be chosen again. */
export function FileChoice({ wanted }: { wanted: string | undefined }): JSX.Element {
  const standing = useSignal<Standing>({ is: "nothing" });
  const isOver = useSignal(false);
  const ended = useRef<AbortController>(undefined);
  const id = useId();
  useEffect(() => () => ended.current?.abort(), []);

  const open = async (file: File | null | undefined) => {
    if (!file) return;
    ended.current?.abort();
    const stop = new AbortController();
    ended.current = stop;
    const { name, size } = file;
    standing.value = { is: "reading", name, read: 0, size };
    let said = performance.now();
    const onBytes = (read: number) => {
      if (performance.now() - said < PACE) return;
      said = performance.now();
      standing.value = { is: "reading", name, read, size };
    };
    try {
      const read = await readArchive(file.stream(), { onBytes, signal: stop.signal });
      if (stop.signal.aborted) return;
      if ("later" in read) {
        standing.value = { is: "later", name, later: read.later };
        return;
      }
      const { thread_id } = read.archive.thread;
      archive.value = new ArchiveApi(read.archive);
      // The view that the address names is shown again; another thread begins with its graph.
      if (route.peek().path[2] !== thread_id) go(link(["file", "threads", thread_id]));
    } catch (error) {
      if (stop.signal.aborted) return;
      standing.value = {
        is: "broken",
        name,
        reason: told(error),
        ...(error instanceof BrokenFile ? { line: error.line, text: error.text } : {}),
      };
    }
  };
  const now = standing.value;
  return (
    <div
      class={`file-choice${isOver.value ? " is-over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={(event) => {
        const { relatedTarget: to } = event;
        if (!(to instanceof Node && event.currentTarget.contains(to))) isOver.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        void open(event.dataTransfer?.files[0]);
      }}
    >
      <h1>Open a file</h1>
      {wanted !== undefined && now.is === "nothing" && (
        <p class="notice" role="status">
          The file with the thread <code>{visible(wanted)}</code> is not open: a page that is loaded anew no longer has
          it. Choose it again, and this view comes back.
        </p>
      )}
      <div class="card file-drop">
        <label for={id}>An export of a thread, as “Export” on the page of a thread saves it</label>
        <input
          id={id}
          type="file"
          accept=".jsonl,.ndjson,application/x-ndjson"
          disabled={now.is === "reading"}
          onChange={(event) => {
            void open(event.currentTarget.files?.[0]);
            // The same file can be chosen again.
            event.currentTarget.value = "";
          }}
        />
        <p class="quiet">Or drop it here. It is read in this page, and sent to nobody.</p>
        {now.is === "reading" && (
          <div class="row">
            <span role="status">{visible(now.name)} is being read …</span>
            <progress max={Math.max(1, now.size)} value={now.read} aria-label="Read of the file" />
            <span class="quiet">
              {bytes(now.read)} of {bytes(now.size)}
            </span>
            <button
              type="button"
              onClick={() => {
                ended.current?.abort();
                standing.value = { is: "nothing" };
              }}
            >
              Cancel
            </button>
          </div>
        )}
      </div>
      {now.is === "broken" && (
        <>
          <Problem>
            {visible(now.name)} cannot be opened.{" "}
            {now.line !== undefined && now.line > 0 && `Line ${now.line}: `}
            {visible(now.reason)}
          </Problem>
          {now.text !== undefined && now.text !== "" && (
            <figure class="file-line">
              <figcaption class="quiet">The beginning of line {now.line}</figcaption>
              <pre>{visible(now.text)}</pre>
            </figure>
          )}
        </>
      )}
      {now.is === "later" && <LaterFile name={now.name} later={now.later} />}
    </div>
  );
}
