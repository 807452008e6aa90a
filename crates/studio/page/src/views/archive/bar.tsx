// What is said above a saved thread: when it was made and of what, and what of it is missing or not understood.

import type { JSX } from "preact";
import type { Refused } from "../../archive/format.ts";
import type { Archive } from "../../archive/read.ts";
import { Id } from "../../parts/basics.tsx";
import { counted, short, visible } from "../../parts/text.ts";

/** Lines that are shown as they are; behind them, that there are more. */
const SHOWN = 100;
const LONGEST = 4000;

export function ArchiveBar({ archive, onClose }: { archive: Archive; onClose: () => void }): JSX.Element {
  const { header, thread, raw, refused, incomplete, runs } = archive;
  const graph = thread.metadata.graph_id;
  const wasRunning = thread.status === "busy" || runs.some((run) => run.status === "running");
  return (
    <section class="archive-bar" aria-label="The saved export">
      <div class="row apart">
        <span>
          <strong>Saved export</strong> of {typeof graph === "string" ? visible(graph) : "the thread"}{" "}
          <Id of={thread.thread_id} />, made <Made at={header.made} />
          <span class="quiet">
            {" "}
            from {visible(header.server.url)}
            {header.server.version !== null && ` (${visible(String(header.server.version))})`}
          </span>
        </span>
        <button type="button" onClick={onClose}>
          Close the file
        </button>
      </div>
      {wasRunning && (
        <p class="archive-note">
          <span class="badge is-running">It was running</span> when it was saved: what it did afterwards is not in the
          file.
        </p>
      )}
      {incomplete !== undefined && (
        <p class="archive-note" role="status">
          <span class="badge is-failed">Incomplete</span> {incomplete}
        </p>
      )}
      {refused.length > 0 && (
        <details class="archive-note">
          <summary>The server did not give {counted(refused.length, "part")}</summary>
          <ul>
            {refused.slice(0, SHOWN).map((one, at) => (
              <li key={at}>
                {words(one)}: {visible(one.reason)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {raw.length > 0 && (
        <details class="archive-note">
          <summary>This page does not understand {counted(raw.length, "line")}</summary>
          {raw.slice(0, SHOWN).map((line) => (
            <figure key={line.number} class="file-line">
              <figcaption>
                Line {line.number}. {visible(line.reason)}
              </figcaption>
              <pre tabIndex={0}>{visible(short(line.text, LONGEST))}</pre>
            </figure>
          ))}
          {raw.length > SHOWN && <p class="quiet">And {counted(raw.length - SHOWN, "more", "more")}.</p>}
        </details>
      )}
    </section>
  );
}

/** When it was made, with its day: that may be long ago. */
function Made({ at }: { at: string }): JSX.Element {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? <span>{visible(at)}</span> : <time dateTime={at}>{date.toLocaleString()}</time>;
}

const PARTS: Record<string, string> = {
  assistant: "The assistant",
  schemas: "The schemas of",
  graph: "The nodes of",
  drawing: "The drawing of",
  events: "The events of",
  history: "The states of",
};

function words({ what, of }: Refused): string {
  return `${PARTS[what] ?? visible(what)} ${of === "" ? "the thread" : visible(of)}`;
}
