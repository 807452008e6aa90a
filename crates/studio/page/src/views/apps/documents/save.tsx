// A button that saves a document as a file.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { told } from "../../../api/http.ts";
import { visible } from "../../../parts/text.ts";
import type { Document } from "./list.ts";
import { save } from "./read.ts";

export function Save({ thread, document }: { thread: string; document: Document }): JSX.Element {
  const [standing, stand] = useState<{ busy: boolean; problem?: string }>({ busy: false });
  const onClick = async () => {
    stand({ busy: true });
    try {
      await save(thread, document);
      stand({ busy: false });
    } catch (error) {
      stand({ busy: false, problem: told(error) });
    }
  };
  return (
    <span class="document-save">
      <button
        type="button"
        disabled={standing.busy}
        aria-label={`Save ${visible(document.name)}`}
        onClick={() => void onClick()}
      >
        Save
      </button>
      {standing.problem !== undefined && (
        <span role="alert" class="is-failed">
          {standing.problem}
        </span>
      )}
    </span>
  );
}
