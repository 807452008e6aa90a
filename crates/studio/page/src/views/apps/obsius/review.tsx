// The review of changes to a vault: the difference of each note, approved whole, in parts, or not at all.

import type { JSX } from "preact";
import { useId, useMemo } from "preact/hooks";
import { counted, visible } from "../../../parts/text.ts";
import type { AnswerControl, AnswerProps } from "../answers.ts";
import { objectOf, textOf, textsOf } from "../read.ts";
import { approving, rejecting, type ReviewItem, reviewOf } from "./review.ts";
import { UnifiedView } from "./unified-view.tsx";
import { notesOf } from "./unified.ts";

export const vaultReview: AnswerControl = {
  fits: ({ value }) => reviewOf(value) !== undefined,
  Control: VaultReview,
};

function VaultReview({ question, draft, onChange, onAnswer, isOpen }: AnswerProps): JSX.Element {
  const review = reviewOf(question.value) ?? { summary: "", items: [] };
  const kept = objectOf(draft);
  const left = new Set(textsOf(kept.left));
  const reason = textOf(kept.reason);
  const chosen = new Set(review.items.map((item) => item.id).filter((id) => !left.has(id)));
  const id = useId();
  const keep = (to: { left?: Iterable<string>; reason?: string }) => {
    onChange({ left: [...(to.left ?? left)], reason: to.reason ?? reason });
  };
  const turn = (item: string, isChosen: boolean) => {
    const rest = new Set(left);
    if (isChosen) rest.delete(item);
    else rest.add(item);
    keep({ left: rest });
  };
  const isAll = chosen.size === review.items.length;
  return (
    <div class="review">
      <p class="review-summary">{visible(review.summary)}</p>
      <ol class="review-items" aria-label="Changes">
        {review.items.map((item) => (
          <Item key={item.id} item={item} isOpen={isOpen} isChosen={chosen.has(item.id)} onTurn={turn} />
        ))}
      </ol>
      {isOpen && (
        <>
          <div class="row">
            <button
              type="button"
              class="primary"
              disabled={chosen.size === 0}
              onClick={() => onAnswer(approving(review, chosen))}
            >
              {isAll ? "Approve all changes" : `Approve ${chosen.size} of ${counted(review.items.length, "change")}`}
            </button>
            {!isAll && (
              <button type="button" onClick={() => keep({ left: [] })}>
                Choose all
              </button>
            )}
            <span class="hint">Nothing is written before you approve it. What you leave out is not written.</span>
          </div>
          <div class="field">
            <label for={id}>Or say why not</label>
            <textarea
              id={id}
              rows={2}
              value={reason}
              aria-describedby={`${id}-hint`}
              onInput={(event) => keep({ reason: event.currentTarget.value })}
            />
            <p id={`${id}-hint`} class="hint">
              With a reason the work is done once more; without one it ends.
            </p>
          </div>
          <p class="row">
            <button type="button" class="danger" onClick={() => onAnswer(rejecting(reason))}>
              {reason.trim() === "" ? "Reject all changes" : "Reject, and have it done again"}
            </button>
          </p>
        </>
      )}
    </div>
  );
}

interface ItemProps {
  item: ReviewItem;
  isOpen: boolean;
  isChosen: boolean;
  onTurn: (id: string, isChosen: boolean) => void;
}

/** Changes that go together: a note, or several that link to one another. */
function Item({ item, isOpen, isChosen, onTurn }: ItemProps): JSX.Element {
  const notes = useMemo(() => notesOf(item.diff), [item.diff]);
  return (
    <li class={`card review-item${isChosen ? "" : " is-left"}`}>
      {isOpen ? (
        <label class="row review-choice">
          <input
            type="checkbox"
            checked={isChosen}
            onChange={(event) => onTurn(item.id, event.currentTarget.checked)}
          />
          <strong>{visible(item.title)}</strong>
          {!isChosen && <span class="quiet">is left out</span>}
        </label>
      ) : (
        <strong>{visible(item.title)}</strong>
      )}
      {notes.map((note, at) =>
        notes.length === 1 ? (
          <UnifiedView key={at} note={note} />
        ) : (
          <details key={at} open>
            <summary>{visible(note.title)}</summary>
            <UnifiedView note={note} />
          </details>
        ),
      )}
    </li>
  );
}
