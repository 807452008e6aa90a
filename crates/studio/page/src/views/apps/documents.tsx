// The documents that the runs of a thread made: each can be opened, copied and saved.

import type { JSX } from "preact";
import { api } from "../../connection.ts";
import { bytes, visible } from "../../parts/text.ts";
import { choose, route } from "../../route.ts";
import { DocumentDialog } from "./documents/dialog.tsx";
import { type Document, mannerOf } from "./documents/list.ts";
import { Save } from "./documents/save.tsx";

export { type Document, documentsOf } from "./documents/list.ts";

/** `documents` is not empty. Which one is open is in the address. */
export function Documents({ thread, documents }: { thread: string; documents: readonly Document[] }): JSX.Element {
  const { isSaved } = api.value;
  const named = route.value.query.get("document");
  const open = isSaved ? undefined : documents.find(({ name }) => name === named);
  return (
    <div class="documents">
      {isSaved && <p class="notice">A saved export lists the documents and does not hold them.</p>}
      <ul>
        {documents.map((document, at) => (
          <li key={at}>
            <span class="grow">
              {isSaved || mannerOf(document) === "other" ? (
                <strong>{visible(document.name)}</strong>
              ) : (
                <button type="button" class="plain" onClick={() => choose({ document: document.name })}>
                  {visible(document.name)}
                </button>
              )}
              <span class="quiet">
                {visible(document.mediaType.split(";", 1)[0] ?? "")}, {bytes(document.size)}
              </span>
            </span>
            {!isSaved && <Save thread={thread} document={document} />}
          </li>
        ))}
      </ul>
      {open !== undefined && (
        <DocumentDialog
          key={open.name}
          thread={thread}
          document={open}
          onClose={() => choose({ document: undefined }, true)}
        />
      )}
    </div>
  );
}
