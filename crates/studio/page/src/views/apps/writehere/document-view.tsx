// The text: its parts as they are written, or the finished text with its sources.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Copy } from "../../../parts/copy.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { saveBlob } from "../../../parts/save-blob.ts";
import { visible } from "../../../parts/text.ts";
import type { Task } from "../../../run/model.ts";
import { Growing } from "../../thread/task/growing.tsx";
import type { Chosen } from "./chosen.ts";
import { CITATIONS } from "./citations.tsx";
import { bodyOf, type Part } from "./document.ts";
import type { Finished, Writing } from "./state.ts";
import { rowKey } from "./rows.ts";

export interface DocumentViewProps {
  writing: Writing;
  parts: readonly Part[];
  works: ReadonlyMap<string, Task[]>;
  chosen: Chosen;
}

export function DocumentView(props: DocumentViewProps): JSX.Element {
  const { writing, parts, works, chosen } = props;
  const { finished, notes } = writing;
  const [byTask, setByTask] = useState(false);
  const isWhole = finished !== undefined && finished.text !== "" && !byTask;
  const whole = () => finished?.text || parts.map((part) => part.text).filter((text) => text !== "").join("\n\n");
  return (
    <article class="card wh-document" aria-label="The text">
      <div class="row apart wh-document-tools">
        {finished !== undefined && finished.text !== "" ? (
          <span class="row" role="group" aria-label="How the text is shown">
            <button type="button" aria-pressed={isWhole} onClick={() => setByTask(false)}>
              Finished text
            </button>
            <button type="button" aria-pressed={!isWhole} onClick={() => setByTask(true)}>
              By task
            </button>
          </span>
        ) : (
          <span class="quiet">As far as it is written</span>
        )}
        {whole() !== "" && (
          <span class="row">
            <Copy text={whole} />
            <button type="button" onClick={() => saveBlob(new Blob([`${whole()}\n`]), "report.md")}>
              Save as Markdown
            </button>
          </span>
        )}
      </div>
      {isWhole ? (
        <Whole finished={finished} chosen={chosen} />
      ) : (
        <>
          {finished === undefined && <h3 class="wh-document-title">{visible(writing.goal)}</h3>}
          {parts.length === 0 && <p class="empty">No part of the text is planned yet.</p>}
          {parts.map((part) => (
            <PartView key={part.key} tasks={works.get(workKey(writing, part)) ?? []} {...{ part, writing, chosen }} />
          ))}
        </>
      )}
      {finished !== undefined && finished.explanation !== "" && (
        <p class="notice wh-explanation">{visible(finished.explanation)}</p>
      )}
      {notes.length > 0 && (
        <details>
          <summary>What a reader should know ({notes.length})</summary>
          <ul class="wh-notes">
            {notes.map((note, at) => (
              <li key={at}>{visible(note)}</li>
            ))}
          </ul>
        </details>
      )}
    </article>
  );
}

/** The key of the node that a part is written at. */
function workKey({ nodes }: Writing, { key }: Part): string {
  const inside = nodes.get(key)?.inner[0];
  return inside !== undefined && rowKey(nodes, inside) === key ? inside : key;
}

interface WholeProps {
  finished: Finished;
  chosen: Chosen;
}

function Whole({ finished, chosen }: WholeProps): JSX.Element {
  return (
    <>
      <Markdown text={bodyOf(finished)} own={CITATIONS} first={20} />
      {finished.references.length > 0 && (
        <section class="wh-references" aria-label="References">
          <h3>References</h3>
          <ol>
            {finished.references.map((one) => (
              <li key={one.number} value={one.number}>
                <button type="button" class="plain" onClick={() => chosen.openSource(one.evidence[0] ?? "")}>
                  {visible(one.title)}
                </button>{" "}
                <span class="quiet">{visible(one.places.join("; "))}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  );
}

interface PartViewProps {
  part: Part;
  /** The tasks of the run that write it. */
  tasks: readonly Task[];
  writing: Writing;
  chosen: Chosen;
}

const STATES: Record<Part["state"], [colour: string, words: string]> = {
  written: ["done", "written"],
  writing: ["running", "is written now"],
  open: ["waiting", "not yet written"],
  failed: ["failed", "failed"],
  out: ["stopped", "left out"],
};

function PartView({ part, tasks, writing, chosen }: PartViewProps): JSX.Element {
  const box = useRef<HTMLElement>(null);
  const isChosen = chosen.part !== undefined && rowKey(writing.nodes, chosen.part) === part.key;
  useEffect(() => {
    if (isChosen) box.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  const [colour, words] = STATES[part.state];
  const spoken = part.state === "writing" ? tasks.at(-1)?.messages.at(-1)?.text : undefined;
  return (
    <section ref={box} class={`wh-part${isChosen ? " is-chosen" : ""}`} aria-label={`Part ${part.key}`}>
      <p class="row wh-part-line">
        <button type="button" class="plain" title="Show its task" onClick={() => chosen.openPart(part.key)}>
          {part.key === "root" ? "The whole" : `Task ${part.key}`}
        </button>
        <span class={`badge is-${colour}`}>{words}</span>
        {part.text === "" && (
          <span class="quiet">{[part.goal, part.length ?? ""].filter(Boolean).map(visible).join(", ")}</span>
        )}
      </p>
      {part.text !== "" && <Markdown text={part.text} own={CITATIONS} />}
      {spoken !== undefined && spoken !== "" && (
        <div class="quiet">
          <Growing text={spoken} />
        </div>
      )}
    </section>
  );
}
