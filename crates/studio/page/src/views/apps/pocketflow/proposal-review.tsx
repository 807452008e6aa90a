// The proposal under review. A section is changed or removed in its place, which makes a version to approve.

import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { ProposalText } from "./proposal.tsx";
import { APPROVE, single } from "./sentences.ts";
import type { Proposal } from "./session.ts";
import { Verdict } from "./verdict.tsx";

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
        show={(section, at, text) =>
          open === at ? (
            <Edit
              name={`Text of section ${at + 1}`}
              text={section.text}
              onSay={(now) => say(single({ is: "replace", at: at + 1, text: now }))}
              onClose={close}
            />
          ) : (
            <>
              {text}
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
        <Edit
          name="Text of the new section"
          text=""
          onSay={(text) => say(single({ is: "add", text }))}
          onClose={close}
        />
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
