// The open questions of a thread, the answers to them, and those that were given before.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { told } from "../../api/http.ts";
import type { Json, Run } from "../../api/types.ts";
import { api, readOnly, whyReadOnly } from "../../connection.ts";
import { Empty, Problem } from "../../parts/basics.tsx";
import { focusProblem } from "../../parts/form/index.ts";
import { spoken } from "../../parts/form/pointer.ts";
import { place, type RunModel } from "../../run/model.ts";
import { type AnswerDraft, answerDraft, AnswerForm, answerIn, isWritten, keptOf } from "./questions/answer.tsx";
import { controlOf } from "../apps/answers.ts";
import { askedIn, givenBy, keep, keepAsked, keptIn } from "./questions/answers.ts";
import { GivenAnswers } from "./questions/given.tsx";
import { headline } from "./questions/read.ts";
import { failureOf, refusedAnswer, sendAnswers } from "./questions/send.ts";
import { QuestionValue } from "./questions/value.tsx";

/** Runs in which answers are looked for. */
const RUNS = 100;

type Question = RunModel["questions"][number];

/** What was refused: of a question, or of the whole request. */
interface Refusal {
  id: string | undefined;
  place: string;
  message: string;
}

function draftName(thread: string, id: string): string {
  return `graphloom.draft.${thread}.${id}`;
}

export function Questions({
  thread,
  questions,
  isAlone = true,
  isKnown = true,
  onSettled,
}: {
  thread: string;
  questions: RunModel["questions"];
  /** Whether nothing else is shown, so that it is said when there is no question, and what was answered before. */
  isAlone?: boolean;
  /** Whether the questions are those that are open: they are read when a page opens. */
  isKnown?: boolean;
  /** Answers were taken or refused, for whoever does not follow the thread's events. */
  onSettled?: () => void;
}): JSX.Element {
  const [drafts, setDrafts] = useState<ReadonlyMap<string, AnswerDraft>>(new Map());
  /** Answers that were given by one press, of several questions. */
  const [ready, setReady] = useState<ReadonlyMap<string, Json>>(new Map());
  const [tried, setTried] = useState<ReadonlySet<string>>(new Set());
  /** Questions whose answers are with the server. */
  const [sent, setSent] = useState<ReadonlySet<string>>(new Set());
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const [runs, setRuns] = useState<readonly Run[]>([]);
  const [unread, setUnread] = useState<string>();
  const [answered, setAnswered] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const gone = useRef(new AbortController());
  useEffect(() => {
    gone.current = new AbortController();
    return () => gone.current.abort();
  }, [thread]);
  const open = questions.map((question) => question.id).join(" ");
  useEffect(() => {
    const asking = new AbortController();
    api.value.get<Run[]>(`/threads/${thread}/runs?limit=${RUNS}`, asking.signal).then(
      (found) => (setRuns(found), setUnread(undefined)),
      (error: unknown) => {
        if (!asking.signal.aborted) setUnread(told(error));
      },
    );
    return () => asking.abort();
  }, [api.value, thread, open, answered]);

  const draftOf = (question: Question) =>
    drafts.get(question.id) ?? answerDraft(question, keptIn(sessionStorage, draftName(thread, question.id)));
  const change = (question: Question, draft: AnswerDraft) => {
    setDrafts((before) => new Map(before).set(question.id, draft));
    setReady((before) => without(before, question.id));
    setRefusals((before) => before.filter((refusal) => refusal.id !== question.id));
    keep(sessionStorage, draftName(thread, question.id), keptOf(draft));
  };
  const problemsAt = (question: Question): ReadonlyMap<string, string> => {
    const problems = new Map<string, string>();
    if (tried.has(question.id) && !ready.has(question.id)) {
      const read = answerIn(question, draftOf(question));
      if ("problems" in read) for (const [at, message] of read.problems) problems.set(at, message);
    }
    for (const refusal of refusals) if (refusal.id === question.id) problems.set(refusal.place, refusal.message);
    return problems;
  };

  const send = async (answers: ReadonlyMap<string, Json>) => {
    const ids = [...answers.keys()];
    const about = questions.filter((question) => answers.has(question.id));
    setSent((before) => new Set([...before, ...ids]));
    setRefusals([]);
    const refused = (message: string) => {
      const at = refusedAnswer(message, ids);
      setRefusals([{ id: at?.id, place: at?.place ?? "", message }]);
      focusProblem(box.current);
    };
    try {
      const run = await sendAnswers(api.value, thread, answers);
      keepAsked(sessionStorage, thread, about);
      setAnswered((before) => before + 1);
      const failure = await failureOf(api.value, run, gone.current.signal);
      if (failure !== undefined) refused(failure);
      else for (const id of ids) keep(sessionStorage, draftName(thread, id), undefined);
    } catch (error) {
      if (gone.current.signal.aborted) return;
      refused(told(error));
    }
    setReady((before) => ids.reduce(without, before));
    setSent((before) => new Set([...before].filter((id) => !answers.has(id))));
    setTried(new Set());
    setAnswered((before) => before + 1);
    onSettled?.();
  };

  const waiting = questions.filter((question) => !sent.has(question.id));
  const isOne = questions.length === 1;
  /** Sends what is written for some of the questions, or shows what is wrong with it. */
  const sendWritten = (of: readonly Question[]) => {
    const answers = new Map<string, Json>();
    let isWrong = false;
    for (const question of of) {
      const pressed = ready.get(question.id);
      const read = pressed === undefined ? answerIn(question, draftOf(question)) : { answer: pressed };
      if ("answer" in read) answers.set(question.id, read.answer);
      else isWrong = true;
    }
    setTried((before) => new Set([...before, ...of.map((question) => question.id)]));
    if (isWrong) focusProblem(box.current);
    else if (answers.size > 0) void send(answers);
  };
  const isHere = (id: string | undefined) => questions.some((question) => question.id === id);
  const above = refusals.filter((refusal) => !isHere(refusal.id));
  return (
    <div ref={box} class="questions">
      {above.map((refusal) => (
        <Problem key={refusal.message}>
          {refusal.place !== "" && <code>{spoken(refusal.place)} </code>}
          {refusal.message}
        </Problem>
      ))}
      {isAlone && questions.length === 0 && (
        <Empty>{isKnown ? "No question is open." : "The questions are being read …"}</Empty>
      )}
      {questions.map((question, index) => (
        <QuestionCard
          key={question.id}
          question={question}
          name={isOne ? "Question" : `Question ${index + 1} of ${questions.length}`}
          isSent={sent.has(question.id)}
          chosen={ready.get(question.id)}
          isAlone={isOne}
          draft={draftOf(question)}
          problems={problemsAt(question)}
          onChange={(draft) => change(question, draft)}
          onAnswer={(answer) => {
            if (isOne) void send(new Map([[question.id, answer]]));
            else setReady((before) => new Map(before).set(question.id, answer));
          }}
          onWrite={() => setReady((before) => without(before, question.id))}
          onSend={() => sendWritten([question])}
        />
      ))}
      {waiting.length > 1 && !readOnly.value && (
        <div class="questions-all">
          <button type="button" class="primary" onClick={() => sendWritten(waiting)}>
            Send all {waiting.length} answers
          </button>
          <span class="quiet">Those that are not sent stay open.</span>
        </div>
      )}
      {isAlone && <GivenAnswers given={givenBy(runs, askedIn(sessionStorage, thread))} problem={unread} />}
    </div>
  );
}

function without<V>(of: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  if (!of.has(key)) return of;
  const rest = new Map(of);
  rest.delete(key);
  return rest;
}

function QuestionCard({
  question,
  name,
  isSent,
  chosen,
  isAlone,
  draft,
  problems,
  onChange,
  onAnswer,
  onWrite,
  onSend,
}: {
  question: Question;
  name: string;
  isSent: boolean;
  /** An answer that was given by one press and waits for the others. */
  chosen: Json | undefined;
  isAlone: boolean;
  draft: AnswerDraft;
  problems: ReadonlyMap<string, string>;
  onChange: (draft: AnswerDraft) => void;
  onAnswer: (answer: Json) => void;
  onWrite: () => void;
  onSend: () => void;
}): JSX.Element {
  const inside = place(question.namespace);
  const id = `question-${question.id}`;
  const control = controlOf(question);
  const isOpen = !readOnly.value && !isSent && chosen === undefined;
  /** Whether Enter was pressed in a field of a control, which sends by its buttons. */
  const [isEntered, setEntered] = useState(false);
  return (
    <form
      class="card question"
      aria-labelledby={id}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (control === undefined) onSend();
        else setEntered(true);
      }}
    >
      <div class="row apart">
        <h2 id={id}>
          <span class={`badge is-${isSent ? "running" : "asking"}`}>{name}</span>
          <span class="hidden">: {headline(question.value)}</span>
        </h2>
        {inside !== "" && <span class="quiet">in {inside.replaceAll(":", " › ")}</span>}
      </div>
      {control === undefined ? (
        <QuestionValue value={question.value} />
      ) : (
        <control.Control
          question={question}
          draft={draft.own}
          isOpen={isOpen}
          onChange={(own) => onChange({ ...draft, own })}
          onAnswer={onAnswer}
        />
      )}
      {control !== undefined && <Problems of={problems} />}
      {control !== undefined && isOpen && isEntered && (
        <p class="hint" role="status">
          Enter sends nothing here: press the button of what you want.
        </p>
      )}
      {readOnly.value ? (
        <p class="quiet">{whyReadOnly.value}</p>
      ) : isSent ? (
        <p role="status">The answer is sent; the run goes on.</p>
      ) : chosen !== undefined ? (
        <div class="row" role="status">
          <span>
            Answer: <code>{JSON.stringify(chosen)}</code>
          </span>
          <button type="button" onClick={onWrite}>
            Another answer
          </button>
        </div>
      ) : control !== undefined ? null : (
        <AnswerForm question={question} draft={draft} problems={problems} onChange={onChange} onAnswer={onAnswer} />
      )}
      {!isSent && !readOnly.value && (chosen !== undefined || isWritten(question, draft)) && (
        <p class="row question-send">
          <button type="submit" class={isAlone ? "primary" : ""}>
            {isAlone ? "Send the answer" : "Send this answer only"}
          </button>
        </p>
      )}
    </form>
  );
}

/** What is wrong with an answer that has no fields on which it could stand. */
function Problems({ of }: { of: ReadonlyMap<string, string> }): JSX.Element {
  return (
    <>
      {[...of].map(([at, message]) => (
        <p key={at} class="field-problem" tabIndex={-1} data-focus="true">
          {at !== "" && <code>{spoken(at)} </code>}
          {message}
        </p>
      ))}
    </>
  );
}
