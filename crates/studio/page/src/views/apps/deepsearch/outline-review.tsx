// The review of an outline: accepted, edited, or sent back with a comment.

import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { isObject } from "../../../parts/json-values.ts";
import { counted, visible } from "../../../parts/text.ts";
import { Confirm } from "../../thread/confirm.tsx";
import type { AnswerControl, AnswerProps } from "../answers.ts";
import { OutlineEditor } from "./outline-editor.tsx";
import { OutlineList } from "./outline-list.tsx";
import {
  ACCEPTED,
  CANCELLED,
  commented,
  draftFrom,
  draftOf,
  isChanged,
  keptDraft,
  missingIn,
  type OutlineDraft,
  revised,
} from "./outline.ts";
import { objectOf, textOf } from "../read.ts";
import { outlineOf } from "./research.ts";

export const outlineReview: AnswerControl = {
  fits: ({ value }) => isObject(value) && isObject(value.outline) && "interrupt_feedback" in objectOf(value.expects),
  Control: OutlineReview,
};

function OutlineReview({ question, draft, onChange, onAnswer, isOpen }: AnswerProps): JSX.Element {
  const outline = outlineOf(objectOf(question.value).outline);
  const kept = objectOf(draft);
  const edited = draftFrom(kept.outline) ?? draftOf(outline);
  const comment = textOf(kept.comment);
  const [isTried, setTried] = useState(false);
  const [ending, setEnding] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  if (!isOpen) {
    return (
      <div class="research-ask">
        <OutlineList outline={outline} />
      </div>
    );
  }
  const missing = missingIn(edited);
  const isOther = isChanged(edited, outline);
  const edit = (to: OutlineDraft) => onChange({ outline: keptDraft(to), comment });
  const send = () => {
    setTried(true);
    if (missing.size === 0) onAnswer(revised(edited));
    else setTimeout(() => box.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  return (
    <div ref={box} class="research-ask">
      <p class="quiet">
        The outline of the report, {counted(outline.sections.length, "section")}. It can be changed before anything is
        researched.
      </p>
      {outline.thought !== "" && outline.thought.length > 3 && <p class="quiet">{visible(outline.thought)}</p>}
      <OutlineEditor
        draft={edited}
        hasParents={outline.sections.some((section) => section.parents.length > 0)}
        missing={isTried ? missing : new Map()}
        onChange={edit}
      />
      {isOther ? (
        <div class="row">
          <button type="button" class="primary" onClick={send}>
            Send my outline
          </button>
          <button
            type="button"
            onClick={() => {
              setTried(false);
              edit(draftOf(outline));
            }}
          >
            Undo my changes
          </button>
          <span class="hint">The model takes it over, and shows what it made of it.</span>
        </div>
      ) : (
        <div class="row">
          <button type="button" class="primary" onClick={() => onAnswer(ACCEPTED)}>
            Accept the outline
          </button>
        </div>
      )}
      <div class="field">
        <label for={id}>Or say what to change</label>
        <textarea
          id={id}
          rows={2}
          value={comment}
          onInput={(event) => onChange({ outline: keptDraft(edited), comment: event.currentTarget.value })}
        />
      </div>
      <div class="row">
        <button
          type="button"
          disabled={comment.trim() === ""}
          title={comment.trim() === "" ? "Say what to change first" : undefined}
          onClick={() => onAnswer(commented(comment))}
        >
          Have it changed
        </button>
        <button type="button" class="plain danger" onClick={() => setEnding(true)}>
          End without a report …
        </button>
      </div>
      {ending && (
        <Confirm
          title="End the research without a report?"
          action="End it"
          onConfirm={() => onAnswer(CANCELLED)}
          onClose={() => setEnding(false)}
        />
      )}
    </div>
  );
}
