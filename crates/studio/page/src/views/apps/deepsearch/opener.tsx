// The buttons that open a citation, a conclusion, a statement or a source beside the report.

import type { ComponentChildren, JSX } from "preact";
import type { Citation } from "./research.ts";
import { addressOf, open, opened } from "./source.ts";
import { SIGNS, VERDICTS } from "./verdicts.ts";

export interface OpenerProps {
  /** What it opens. */
  of: string;
  class?: string;
  label?: string | undefined;
  title?: string | undefined;
  children: ComponentChildren;
}

export function Opener({ of, class: name, label, title, children }: OpenerProps): JSX.Element {
  const isOpen = opened() === of;
  return (
    <button
      type="button"
      class={`plain opener ${name ?? ""}${isOpen ? " is-open" : ""}`}
      data-source={of}
      aria-label={label}
      aria-pressed={isOpen}
      title={title}
      onClick={() => open(of)}
    >
      {children}
    </button>
  );
}

/** Words of the text that open something. They are a link, which is broken into lines as words are. */
export function OpeningWords({ of, title, children }: OpenerProps): JSX.Element {
  const isOpen = opened() === of;
  return (
    <a
      href={addressOf(of)}
      class={`opener${isOpen ? " is-open" : ""}`}
      data-source={of}
      aria-current={isOpen}
      title={title}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        open(of);
      }}
    >
      {children}
    </a>
  );
}

/** A citation in the text: the number of its source, coloured by what the check found. */
export function CitationMark({ citation }: { citation: Citation }): JSX.Element {
  const { id, reference, verdict } = citation;
  const words = VERDICTS[verdict];
  return (
    <sup>
      <Opener of={`c${id}`} class={`cite is-${verdict}`} label={`Source ${reference}: ${words}`} title={words}>
        {reference}
        <span aria-hidden="true">{SIGNS[verdict]}</span>
      </Opener>
    </sup>
  );
}
