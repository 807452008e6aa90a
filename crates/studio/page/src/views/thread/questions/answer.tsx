// The answer to one question while it is written: fields of its schema, or buttons, words and JSON where there is none.

import type { JSX } from "preact";
import { useId } from "preact/hooks";
import type { Interrupt, Json } from "../../../api/types.ts";
import { type Draft, draftOf, EitherForm, problemsOf } from "../../../parts/form/index.ts";
import { isObject } from "../../../parts/json-values.ts";
import { answerSchema, choicesOf, draftIn } from "./read.ts";
import { controlOf } from "../../apps/answers.ts";

/** How an answer without a schema is given: by one press, in words or as JSON. */
export type Way = "press" | "words" | "json";

/** Answers to a question that names none. */
const USUAL: [name: string, answer: Json][] = [
  ["Approve", "approve"],
  ["Reject", "reject"],
];

export interface AnswerDraft {
  way: Way;
  words: string;
  form: Draft;
  /** The draft of the control of an application. */
  own: Json | undefined;
}

export function answerDraft(question: Interrupt, kept: Json | undefined): AnswerDraft {
  const schema = answerSchema(question);
  const known = isObject(kept) ? kept : {};
  const form = draftOf(schema, known.value);
  return {
    way: known.way === "json" || known.way === "words" ? known.way : "press",
    words: typeof known.words === "string" ? known.words : draftIn(question.value),
    form: known.as === "json" || known.as === "fields" ? { ...form, as: schema ? known.as : "json" } : form,
    own: known.own,
  };
}

/** What of a draft survives a reload. */
export function keptOf(draft: AnswerDraft): Json {
  const kept: { [key: string]: Json } = { way: draft.way, words: draft.words, as: draft.form.as };
  if (draft.form.value !== undefined) kept.value = draft.form.value;
  if (draft.own !== undefined) kept.own = draft.own;
  return kept;
}

/** The answer that a draft is, or what is wrong with it. */
export function answerIn(
  question: Interrupt,
  draft: AnswerDraft,
): { answer: Json } | { problems: ReadonlyMap<string, string> } {
  if (controlOf(question) !== undefined) return { problems: new Map([["", "Choose an answer."]]) };
  const schema = answerSchema(question);
  if (schema === undefined && draft.way === "press") return { problems: new Map([["", "Choose an answer."]]) };
  if (schema === undefined && draft.way === "words") {
    return draft.words.trim() === "" ? { problems: new Map([["", "An answer is needed."]]) } : { answer: draft.words };
  }
  const problems = problemsOf(schema, draft.form);
  return problems.size > 0 || draft.form.value === undefined ? { problems } : { answer: draft.form.value };
}

export function AnswerForm({
  question,
  draft,
  problems,
  onChange,
  onAnswer,
}: {
  question: Interrupt;
  draft: AnswerDraft;
  problems: ReadonlyMap<string, string>;
  onChange: (draft: AnswerDraft) => void;
  /** An answer that is given by one press. */
  onAnswer: (answer: Json) => void;
}): JSX.Element {
  const schema = answerSchema(question);
  const id = useId();
  if (schema !== undefined) {
    return (
      <EitherForm
        schema={schema}
        draft={draft.form}
        problems={problems}
        label="Answer"
        onChange={(form) => onChange({ ...draft, form })}
      />
    );
  }
  const named = choicesOf(question.value);
  const quick = named.length > 0 ? named.map((one): [string, Json] => [String(one), one]) : USUAL;
  const about = draftIn(question.value);
  const wrong = problems.get("");
  const turn = (way: Way) => onChange({ ...draft, way: draft.way === way ? "press" : way });
  return (
    <div class="answer-form">
      <div class="row" role="group" aria-label="Answer">
        {quick.map(([name, answer]) => (
          <button key={name} type="button" onClick={() => onAnswer(answer)}>
            {name}
          </button>
        ))}
        <button type="button" aria-expanded={draft.way === "words"} onClick={() => turn("words")}>
          {about === "" ? "Words …" : "Edit …"}
        </button>
        <button type="button" aria-expanded={draft.way === "json"} onClick={() => turn("json")}>
          JSON …
        </button>
      </div>
      {draft.way === "press" && (
        <p class="hint">
          No schema says what an answer looks like. {quick.map(([name]) => name).join(" and ")} send{" "}
          {quick.map(([, answer]) => JSON.stringify(answer)).join(" and ")}.
        </p>
      )}
      {draft.way === "press" && wrong !== undefined && (
        <p class="field-problem" tabIndex={-1} data-focus="true">
          {wrong}
        </p>
      )}
      {draft.way === "json" ? (
        <EitherForm
          schema={undefined}
          draft={draft.form}
          problems={problems}
          label="Answer"
          onChange={(form) => onChange({ ...draft, form })}
        />
      ) : draft.way === "words" ? (
        <div class="field">
          <label for={id}>{about === "" ? "Answer in words" : "The text as it should be"}</label>
          <textarea
            id={id}
            rows={Math.min(14, Math.max(3, draft.words.split("\n").length + 1))}
            value={draft.words}
            aria-invalid={wrong !== undefined}
            aria-describedby={wrong === undefined ? `${id}-hint` : `${id}-hint ${id}-problem`}
            onInput={(event) => onChange({ ...draft, words: event.currentTarget.value })}
          />
          <p id={`${id}-hint`} class="hint">
            It is sent as a text, as it is.
          </p>
          {wrong !== undefined && (
            <p id={`${id}-problem`} class="field-problem">
              {wrong}
            </p>
          )}
        </div>
      ) : null}
    </div>
  );
}

/** Whether there is something written to send. A control sends by itself. */
export function isWritten(question: Interrupt, draft: AnswerDraft): boolean {
  if (controlOf(question) !== undefined) return false;
  return draft.way !== "press" || answerSchema(question) !== undefined;
}
