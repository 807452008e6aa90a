// Citations in a text, as buttons that open their source.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { OwnLinks } from "../../../parts/markdown.tsx";
import { visible } from "../../../parts/text.ts";
import { route } from "../../../route.ts";
import type { Chosen } from "./chosen.ts";
import { idsOf } from "./document.ts";
import { MARK } from "./length.ts";
import type { Reference } from "./sources.ts";

/** Marks such as `[reference:ID]`, or in a finished text numbers such as `[1]`. */
const SIGNS = new RegExp(`${MARK.source}|\\[\\d{1,6}\\]`, "gi");

/** The citations of a text whose sources are these, by the ids of their passages. */
export function useCitations(sources: ReadonlyMap<string, Reference>, { openSource }: Chosen): OwnLinks {
  return useMemo(() => {
    const byNumber = new Map([...sources.values()].map((one) => [String(one.number), one]));
    return {
      signs: SIGNS,
      show: (sign, inside) => {
        const number = /^\[(\d+)\]$/.exec(sign)?.[1];
        if (number !== undefined) {
          const reference = byNumber.get(number);
          const id = reference?.evidence[0];
          return id === undefined ? inside : <Citation id={id} reference={reference} onOpen={openSource} />;
        }
        return (
          <>
            {idsOf(sign).map((id) => (
              <Citation key={id} id={id} reference={sources.get(id)} onOpen={openSource} />
            ))}
          </>
        );
      },
    };
  }, [sources]);
}

interface CitationProps {
  id: string;
  reference: Reference | undefined;
  onOpen: (id: string) => void;
}

function Citation({ id, reference, onOpen }: CitationProps): JSX.Element {
  const open = route.value.query.get("source") ?? "";
  const isOpen = open === id || reference?.evidence.includes(open) === true;
  const name = reference === undefined ? visible(id) : `Source ${reference.number}: ${visible(reference.title)}`;
  return (
    <button
      type="button"
      class={`wh-cite${isOpen ? " is-open" : ""}`}
      aria-label={name}
      aria-expanded={isOpen}
      title={name}
      onClick={() => onOpen(id)}
    >
      [{reference?.number ?? "?"}]
    </button>
  );
}
