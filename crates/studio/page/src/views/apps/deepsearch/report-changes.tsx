// Changes of a report that is done: a passage is chosen and changed, or the whole text is written over.

import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { isObject } from "../../../parts/json-values.ts";
import { counted, short, visible } from "../../../parts/text.ts";
import type { AnswerControl, AnswerProps } from "../answers.ts";
import { objectOf, textOf } from "../read.ts";
import { type Action, ACTIONS, changeOf, FINISHED, type Passage, syncOf, trimmed } from "./changes.ts";

export const reportChanges: AnswerControl = {
  fits: ({ value }) => {
    return isObject(value) && typeof value.response_content === "string" && "action" in objectOf(value.expects);
  },
  Control: ReportChanges,
};

function ReportChanges({ question, draft, onChange, onAnswer, isOpen }: AnswerProps): JSX.Element {
  const report = textOf(objectOf(question.value).response_content);
  const kept = objectOf(draft);
  const text = typeof kept.text === "string" ? kept.text : report;
  const instruction = textOf(kept.instruction);
  const [passage, choose] = useState<Passage>();
  const area = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  if (!isOpen) return <p class="quiet">The report is done; it can be changed until the review is finished.</p>;
  const isEdited = text !== report;
  const look = () => {
    const { selectionStart: start, selectionEnd: end } = area.current ?? { selectionStart: 0, selectionEnd: 0 };
    choose(trimmed(text, { start, end }));
  };
  const change = (action: Action) => {
    if (passage !== undefined) onAnswer(changeOf(report, passage, action, instruction));
  };
  return (
    <div class="research-ask">
      <p>The report is done. Choose a passage of it to have it changed, write in it yourself, or finish.</p>
      <div class="row">
        <button type="button" class="primary" disabled={isEdited} onClick={() => onAnswer(FINISHED)}>
          Finish without more changes
        </button>
      </div>
      <div class="field">
        <label for={id}>The report, with the marks of its citations</label>
        <textarea
          ref={area}
          id={id}
          class="report-source"
          rows={14}
          value={text}
          aria-describedby={`${id}-hint`}
          onSelect={look}
          onKeyUp={look}
          onInput={(event) => {
            choose(undefined);
            onChange({ text: event.currentTarget.value, instruction });
          }}
        />
        <p id={`${id}-hint`} class="hint">
          A mark such as <code>[checked_citation:3]</code> that is left out takes its citation away.
        </p>
      </div>
      {isEdited ? (
        <div class="row">
          <button type="button" class="primary" onClick={() => onAnswer(syncOf(text))}>
            Save what I wrote
          </button>
          <button type="button" onClick={() => onChange({ text: report, instruction })}>
            Undo my changes
          </button>
        </div>
      ) : (
        <fieldset class="report-change" disabled={passage === undefined}>
          <legend>
            <span role="status">{chosenIn(text, passage)}</span>
          </legend>
          <div class="field">
            <label for={`${id}-how`}>What you want of it, in your own words</label>
            <input
              id={`${id}-how`}
              value={instruction}
              onInput={(event) => onChange({ text, instruction: event.currentTarget.value })}
            />
          </div>
          <div class="row">
            {ACTIONS.map(([action, name, does]) => (
              <button key={action} type="button" title={does} onClick={() => change(action)}>
                {name}
              </button>
            ))}
          </div>
        </fieldset>
      )}
    </div>
  );
}

function chosenIn(text: string, passage: Passage | undefined): string {
  if (passage === undefined) return "No passage is chosen yet.";
  const words = visible(short(text.slice(passage.start, passage.end), 90));
  return `Chosen, ${counted(passage.end - passage.start, "character")}: ${words}`;
}
