// The view of Obsius: the phases of a work on a vault, its plan and what confirms it, its memory, actions and changes.

import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Empty, Problem } from "../../../parts/basics.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { counted, visible } from "../../../parts/text.ts";
import { Questions } from "../../thread/questions.tsx";
import type { AppProps } from "../index.ts";
import { useInnerState, useOuterState } from "../inner.ts";
import { objectOf, textOf, textsOf } from "../read.ts";
import { Actions } from "./actions.tsx";
import { Changes } from "./changes.tsx";
import { MemoryList } from "./memory.tsx";
import { Phases } from "./phases.tsx";
import { Plan } from "./plan.tsx";
import { workOf } from "./work.ts";

export function ObsiusView({ thread, model, record, questions }: AppProps): JSX.Element {
  const inner = useInnerState(thread, model, "work");
  const outer = useOuterState(thread, model);
  const values = inner.state?.values;
  const work = useMemo(() => workOf(values ?? {}), [values]);
  if (values === undefined) {
    return inner.problem === undefined ? <Empty>The work is being read …</Empty> : <Problem>{inner.problem}</Problem>;
  }
  const told = outer.state?.values ?? {};
  const isRunning = record.status === "busy";
  // While the work goes on, what the graph around it says is of the work before.
  const outcome = isRunning ? "" : textOf(told.outcome) || work.outcome;
  const notes = work.notes.length > 0 ? work.notes : isRunning ? [] : textsOf(told.notes);
  const answer = work.answer || (isRunning || work.failure !== "" ? "" : lastSaid(told));
  const isAsked = questions.length > 0;
  return (
    <div class="research obsius">
      <h3 class="research-query">{visible(work.request)}</h3>
      <Phases visits={work.visits} isRunning={isRunning} isAsking={isAsked} />
      {isAsked && <Questions thread={thread} questions={questions} isAlone={false} />}
      {work.failure !== "" && <p class="problem">{visible(work.failure)}</p>}
      {notes.length > 0 && (
        <details class="notice">
          <summary>{counted(notes.length, "note")}</summary>
          <ul>
            {notes.map((note, at) => (
              <li key={at}>{visible(note)}</li>
            ))}
          </ul>
        </details>
      )}
      {work.visits.length === 0 && !isAsked && (
        <Empty>{isRunning ? "The work begins …" : "Nothing was worked on yet."}</Empty>
      )}
      <div class="obsius-panes">
        <div class="obsius-pane">
          {(answer !== "" || (outcome !== "" && work.failure === "" && !isAsked)) && (
            <Part name="Answer" beside={outcome}>
              {answer !== "" && <Markdown text={answer} />}
            </Part>
          )}
          {work.subtasks.length > 0 && (
            <Part name="Plan" beside={work.confidence === undefined ? "" : `confidence ${work.confidence.toFixed(2)}`}>
              <Plan subtasks={work.subtasks} />
            </Part>
          )}
          {work.changes.length > 0 && !isAsked && (
            <Part name="Changes" beside={writtenOf(work.applied)}>
              <Changes changes={work.changes} applied={work.applied} />
            </Part>
          )}
          {work.found.length > 0 && (
            <Part name="Found notes" beside={String(work.found.length)}>
              <ul class="found">
                {work.found.slice(0, FOUND).map((note) => (
                  <li key={note.path}>
                    <strong>{visible(note.title)}</strong> <span class="quiet">{visible(note.path)}</span>
                    <p>{visible(note.snippet)}</p>
                  </li>
                ))}
              </ul>
              {work.found.length > FOUND && <p class="quiet">And {work.found.length - FOUND} more.</p>}
            </Part>
          )}
        </div>
        <div class="obsius-pane">
          {work.memory.length > 0 && (
            <Part name="Working memory" beside={String(work.memory.length)}>
              <MemoryList memory={work.memory} />
            </Part>
          )}
          {work.actions.length > 0 && (
            <Part name="Actions" beside={String(work.actions.length)}>
              <Actions actions={work.actions} />
            </Part>
          )}
        </div>
      </div>
    </div>
  );
}

function writtenOf(applied: readonly string[] | undefined): string {
  return applied === undefined ? "not written" : counted(applied.length, "note written", "notes written");
}

/** Found notes that are shown. */
const FOUND = 30;

function lastSaid(values: Record<string, unknown>): string {
  const messages = Array.isArray(values.messages) ? values.messages : [];
  const last = objectOf(messages.at(-1));
  return last.type === "ai" ? textOf(last.content) : "";
}

function Part({ name, beside, children }: { name: string; beside: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="card" aria-label={name}>
      <div class="row apart">
        <h3>{name}</h3>
        {beside !== "" && <span class="quiet">{visible(beside)}</span>}
      </div>
      {children}
    </section>
  );
}
