// The proposal under review. A section is changed or removed in its place, which makes a version to approve.

import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { Markdown } from "../../../parts/markdown.tsx";
import { visible } from "../../../parts/text.ts";
import { APPROVE, single } from "./sentences.ts";
import type { Proposal, Section } from "./session.ts";
import { Verdict } from "./verdict.tsx";
import { Reference } from "./works.tsx";

export interface ProposalReviewProps {
  proposal: Proposal;
  canChange: boolean;
  say: (text: string) => void;
}

export function ProposalReview({ proposal, canChange, say }: ProposalReviewProps): JSX.Element {
  const [open, setOpen] = useState<number | "new">();
  const close = () => setOpen(undefined);
  return (
    <>
      <ProposalText
        proposal={proposal}
        show={(section, at) =>
          open === at ? (
            <Edit
              name={`Text of section ${at + 1}`}
              text={section.text}
              onSay={(text) => say(single({ is: "replace", at: at + 1, text }))}
              onClose={close}
            />
          ) : (
            <>
              <Markdown text={section.text} />
              {canChange && (
                <p class="row pf-section-tools">
                  <button type="button" aria-label={`Change section ${at + 1}`} onClick={() => setOpen(at)}>
                    Change
                  </button>
                  <button
                    type="button"
                    aria-label={`Remove section ${at + 1}`}
                    onClick={() => say(single({ is: "remove", at: at + 1 }))}
                  >
                    Remove
                  </button>
                </p>
              )}
            </>
          )
        }
      />
      {canChange && open === "new" && (
        <Edit name="Text of the new section" text="" onSay={(text) => say(single({ is: "add", text }))} onClose={close} />
      )}
      {canChange && (
        <>
          {open !== "new" && (
            <p>
              <button type="button" onClick={() => setOpen("new")}>
                Add a section
              </button>
            </p>
          )}
          <Verdict hasSearch say={say}>
            <button type="button" class="primary" onClick={() => say(APPROVE)}>
              Approve and deliver
            </button>
          </Verdict>
        </>
      )}
    </>
  );
}

interface ProposalTextProps {
  proposal: Proposal;
  /** A section below its heading. */
  show?: (section: Section, at: number) => JSX.Element;
}

/** The proposal with its references and what a reader should know. */
export function ProposalText({ proposal, show }: ProposalTextProps): JSX.Element {
  const { title, sections, references, notes } = proposal;
  return (
    <div class="pf-proposal">
      <h4>{visible(title)}</h4>
      {sections.map((section, at) => (
        <section key={at}>
          <h5>
            {at + 1}. {visible(section.heading)}
          </h5>
          {show?.(section, at) ?? <Markdown text={section.text} />}
        </section>
      ))}
      {references.length > 0 && (
        <section>
          <h5>References</h5>
          <ol class="pf-references">
            {references.map(({ number, work }) => (
              <li key={number} value={number}>
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

interface EditProps {
  name: string;
  text: string;
  onSay: (text: string) => void;
  onClose: () => void;
}

function Edit({ name, text: before, onSay, onClose }: EditProps): JSX.Element {
  const [text, setText] = useState(before);
  const id = useId();
  const isSame = text.trim() === before.trim() || text.trim() === "";
  return (
    <div class="pf-edit">
      <label for={id} class="hidden">
        {name}
      </label>
      <textarea
        id={id}
        autofocus
        rows={Math.min(18, Math.max(4, Math.ceil(before.length / 70) + 1))}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p class="row">
        <button type="button" class="primary" disabled={isSame} onClick={() => onSay(text)}>
          Say this change
        </button>
        <button type="button" onClick={onClose}>
          Leave it as it is
        </button>
      </p>
    </div>
  );
}
