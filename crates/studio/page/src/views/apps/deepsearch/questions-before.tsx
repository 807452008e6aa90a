// The questions that DeepSearch asks before it begins, and the words that answer them.

import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { Markdown } from "../../../parts/markdown.tsx";
import { isObject } from "../../../parts/json-values.ts";
import type { AnswerControl, AnswerProps } from "../answers.ts";
import { Confirm } from "../../thread/confirm.tsx";
import { textOf } from "../read.ts";

/** What ends the research without a report. */
const FINISH = "FINISH TASK";

export const questionsBefore: AnswerControl = {
  fits: ({ value }) => {
    return (
      isObject(value) && typeof value.questions === "string" && isObject(value.expects) && "feedback" in value.expects
    );
  },
  Control: QuestionsBefore,
};

function QuestionsBefore({ question, draft, onChange, onAnswer, isOpen }: AnswerProps): JSX.Element {
  const value = isObject(question.value) ? question.value : {};
  const words = textOf(draft);
  const id = useId();
  const [ending, setEnding] = useState(false);
  const [isTried, setTried] = useState(false);
  const isMissing = isTried && words.trim() === "";
  return (
    <div class="research-ask">
      <p class="quiet">Before the research begins:</p>
      <div class="question-asks">
        <Markdown text={textOf(value.questions)} />
      </div>
      {isOpen && (
        <>
          <div class="field">
            <label for={id}>Your answer</label>
            <textarea
              id={id}
              rows={4}
              value={words}
              aria-invalid={isMissing}
              aria-describedby={`${id}-hint`}
              onInput={(event) => onChange(event.currentTarget.value)}
            />
            <p id={`${id}-hint`} class={isMissing ? "field-problem" : "hint"}>
              {isMissing
                ? "Say something, or begin without an answer."
                : "In your own words, to as many of them as you like."}
            </p>
          </div>
          <p class="row">
            <button
              type="button"
              class="primary"
              onClick={() => {
                setTried(true);
                if (words.trim() === "") document.getElementById(id)?.focus();
                else onAnswer({ feedback: words });
              }}
            >
              Send the answer
            </button>
            <button type="button" onClick={() => onAnswer({ feedback: NO_ANSWER })}>
              Begin without an answer
            </button>
            <button type="button" class="plain danger" onClick={() => setEnding(true)}>
              End without a report …
            </button>
          </p>
          {ending && (
            <Confirm
              title="End the research without a report?"
              action="End it"
              onConfirm={() => onAnswer({ feedback: FINISH })}
              onClose={() => setEnding(false)}
            />
          )}
        </>
      )}
    </div>
  );
}

/** The graph takes no empty answer. */
const NO_ANSWER = "No preference; decide yourself.";
