// Citations in a text, as buttons that open their source.

import { createContext, type JSX } from "preact";
import { useContext } from "preact/hooks";
import type { OwnLinks } from "../../../parts/markdown.tsx";
import { visible } from "../../../parts/text.ts";
import { route } from "../../../route.ts";
import { idsOf } from "./document.ts";
import { MARK } from "./length.ts";
import type { Reference } from "./sources.ts";

export interface Sources {
  /** The numbered sources by the ids of their passages. */
  byId: ReadonlyMap<string, Reference>;
  open: (id: string) => void;
}

/** What the citations of all texts of the view lead to. */
export const SourcesContext = createContext<Sources>({ byId: new Map(), open: () => undefined });

/** Marks such as `[reference:ID]`, or in a finished text numbers such as `[1]`. They stay while sources come. */
export const CITATIONS: OwnLinks = {
  signs: new RegExp(`${MARK.source}|\\[\\d{1,6}\\]`, "gi"),
  show: (sign, inside) => <Sign sign={sign} inside={inside} />,
};

function Sign({ sign, inside }: { sign: string; inside: JSX.Element }): JSX.Element {
  const { byId } = useContext(SourcesContext);
  const number = /^\[(\d+)\]$/.exec(sign)?.[1];
  if (number !== undefined) {
    // A number that is none of a source is the text's own.
    const reference = [...byId.values()].find((one) => String(one.number) === number);
    const id = reference?.evidence[0];
    return id === undefined ? inside : <Citation id={id} reference={reference} />;
  }
  return (
    <>
      {idsOf(sign).map((id) => (
        <Citation key={id} id={id} reference={byId.get(id)} />
      ))}
    </>
  );
}

function Citation({ id, reference }: { id: string; reference: Reference | undefined }): JSX.Element {
  const { open } = useContext(SourcesContext);
  const shown = route.value.query.get("source") ?? "";
  const isOpen = shown === id || reference?.evidence.includes(shown) === true;
  const name = reference === undefined ? visible(id) : `Source ${reference.number}: ${visible(reference.title)}`;
  return (
    <button
      type="button"
      class={`wh-cite${isOpen ? " is-open" : ""}`}
      aria-label={name}
      aria-expanded={isOpen}
      title={name}
      onClick={() => open(id)}
    >
      [{reference?.number ?? "?"}]
    </button>
  );
}
