// Reads the bytes of a document, with the key that the server wants.

import { useEffect, useState } from "preact/hooks";
import { told } from "../../../api/http.ts";
import { api } from "../../../connection.ts";
import { saveBlob } from "../../../parts/save-blob.ts";
import { type Document, pathOf } from "./list.ts";

/** Saves a document as a file of its name. */
export async function save(thread: string, document: Document): Promise<void> {
  const response = await api.peek().send("GET", pathOf(thread, document));
  // A page that a model wrote is saved, and not opened: so it has no type that the browser would open.
  saveBlob(new Blob([await response.arrayBuffer()], { type: "application/octet-stream" }), document.name);
}

export type Text = { is: "reading" } | { is: "text"; text: string } | { is: "problem"; reason: string };

/** The text of a document; it is read again when the document is another. */
export function useText(thread: string, document: Document): Text {
  const [text, setText] = useState<Text>({ is: "reading" });
  const server = api.value;
  const path = pathOf(thread, document);
  useEffect(() => {
    const ended = new AbortController();
    setText({ is: "reading" });
    void (async () => {
      try {
        const response = await server.send("GET", path, undefined, ended.signal);
        setText(decoded(await response.arrayBuffer()));
      } catch (error) {
        if (!ended.signal.aborted) setText({ is: "problem", reason: told(error) });
      }
    })();
    return () => ended.abort();
  }, [server, path, document.hash]);
  return text;
}

function decoded(bytes: ArrayBuffer): Text {
  try {
    return { is: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { is: "problem", reason: "The bytes of this document are no text in UTF-8. It can be saved." };
  }
}
