// A document in a dialog: as what it is, or as its text. A page of HTML is never more than its source.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Json } from "../../../api/types.ts";
import { Empty, Problem } from "../../../parts/basics.tsx";
import { Copy } from "../../../parts/copy.tsx";
import { JsonTree } from "../../../parts/json.tsx";
import { LongText } from "../../../parts/long-text.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { bytes, visible } from "../../../parts/text.ts";
import { type Document, mannerOf } from "./list.ts";
import { useText } from "./read.ts";
import { Save } from "./save.tsx";

export interface DocumentDialogProps {
  thread: string;
  document: Document;
  onClose: () => void;
}

export function DocumentDialog({ thread, document, onClose }: DocumentDialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [asText, setAsText] = useState(false);
  const text = useText(thread, document);
  useEffect(() => dialog.current?.showModal(), []);
  const manner = mannerOf(document);
  const hasView = manner === "markdown" || manner === "json";
  return (
    <dialog
      ref={dialog}
      class="document"
      aria-labelledby="document-title"
      onClose={onClose}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <header>
        <div class="grow">
          <h2 id="document-title">{visible(document.name)}</h2>
          <p class="quiet">
            {visible(document.mediaType)}, {bytes(document.size)}
          </p>
        </div>
        <span class="row">
          {hasView && (
            <label class="row">
              <input type="checkbox" checked={asText} onChange={(event) => setAsText(event.currentTarget.checked)} />
              as text
            </label>
          )}
          {text.is === "text" && <Copy name="Copy the text" text={() => text.text} />}
          <Save thread={thread} document={document} />
          <button type="button" autofocus onClick={() => dialog.current?.close()}>
            Close
          </button>
        </span>
      </header>
      <div class="document-body" tabIndex={0} role="region" aria-label={`The text of ${visible(document.name)}`}>
        {text.is === "reading" && <Empty>The document is being read …</Empty>}
        {text.is === "problem" && <Problem>{text.reason}</Problem>}
        {text.is === "text" && <Shown text={text.text} manner={asText ? "text" : manner} name={document.name} />}
      </div>
    </dialog>
  );
}

interface ShownProps {
  text: string;
  manner: ReturnType<typeof mannerOf>;
  name: string;
}

function Shown({ text, manner, name }: ShownProps): JSX.Element {
  if (text === "") return <Empty>The document is empty.</Empty>;
  if (manner === "markdown") return <Markdown text={text} />;
  const value = manner === "json" ? parsed(text) : undefined;
  if (value !== undefined) return <JsonTree value={value} label={visible(name)} />;
  return <LongText text={text} />;
}

/** What calls itself JSON and is not is shown as its text. */
function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
