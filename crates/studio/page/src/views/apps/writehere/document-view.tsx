// The text: its parts as they are written, or the finished text with its sources.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Copy } from "../../../parts/copy.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { saveBlob } from "../../../parts/save-blob.ts";
import { useStepwise } from "../../../parts/stepwise.ts";
import { visible } from "../../../parts/text.ts";
import type { Task } from "../../../run/model.ts";
import type { Chosen } from "./chosen.ts";
import { CITATIONS } from "./citations.tsx";
import { bodyOf, type Part } from "./document.ts";
import { PartBlocks } from "./part-blocks.tsx";
import { rowKey } from "./rows.ts";
import type { Finished, Writing } from "./state.ts";

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
  // The tree is painted before the text: to read a long one takes longer.
  const isBegun = useStepwise(2) > 1;
  const isWhole = finished !== undefined && finished.text !== "" && !byTask;
  const told = (part: Part) => (part.state === "writing" ? works.get(part.work)?.at(-1)?.messages.at(-1) : undefined);
  const open = chosen.part === undefined ? undefined : rowKey(writing.nodes, chosen.part);
  const hasText = finished?.text ? true : parts.some((part) => part.text !== "");
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
        {hasText && (
          <span class="row">
            <Copy text={whole} />
            <button type="button" onClick={() => saveBlob(new Blob([`${whole()}\n`]), "report.md")}>
              Save as Markdown
            </button>
          </span>
        )}
      </div>
      {!isBegun ? null : isWhole ? (
        <Whole finished={finished} chosen={chosen} />
      ) : (
        <>
          {finished === undefined && <h3 class="wh-document-title">{visible(writing.goal)}</h3>}
          {parts.length === 0 && <p class="empty">No part of the text is planned yet.</p>}
          <PartBlocks parts={parts} told={told} open={open} onOpen={chosen.openPart} />
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
