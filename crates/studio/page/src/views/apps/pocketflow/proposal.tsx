// A proposal with its references. A mark such as [1] leads to its reference.

import type { JSX } from "preact";
import { useId, useMemo } from "preact/hooks";
import { Markdown, type OwnLinks } from "../../../parts/markdown.tsx";
import { visible } from "../../../parts/text.ts";
import { linked, numberOf } from "./cites.ts";
import type { Proposal, Section } from "./session.ts";
import { Reference } from "./works.tsx";

export interface ProposalTextProps {
  proposal: Proposal;
  /** A section below its heading, of which `text` is the text as it is shown. */
  show?: (section: Section, at: number, text: JSX.Element) => JSX.Element;
}

export function ProposalText({ proposal, show }: ProposalTextProps): JSX.Element {
  const { title, sections, references, notes } = proposal;
  const id = useId();
  const numbers = useMemo(() => new Set(references.map(({ number }) => number)), [references]);
  const own = useMemo(() => marks(id), [id]);
  return (
    <div class="pf-proposal">
      <h4>{visible(title)}</h4>
      {sections.map((section, at) => {
        const text = <Markdown text={linked(section.text, numbers)} own={own} />;
        return (
          <section key={at}>
            <h5>
              {at + 1}. {visible(section.heading)}
            </h5>
            {show?.(section, at, text) ?? text}
          </section>
        );
      })}
      {references.length > 0 && (
        <section>
          <h5>References</h5>
          <ol class="pf-references">
            {references.map(({ number, work }) => (
              <li key={number} value={number} id={`${id}-${number}`} tabIndex={-1}>
                <Reference work={work} />
              </li>
            ))}
          </ol>
        </section>
      )}
      {notes.length > 0 && (
        <ul class="pf-notes quiet" aria-label="Notes on the proposal">
          {notes.map((note, at) => (
            <li key={at}>{visible(note)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Marks as buttons that go to the references below. */
function marks(id: string): OwnLinks {
  return {
    has: (url) => numberOf(url) !== undefined,
    show: (url, inside) => {
      const number = numberOf(url);
      return (
        <button
          type="button"
          class="plain pf-mark"
          aria-label={`Reference ${number}`}
          onClick={() => document.getElementById(`${id}-${number}`)?.focus()}
        >
          {inside}
        </button>
      );
    },
  };
}
