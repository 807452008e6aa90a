// What the conversation waits for, with controls that say what the person wants of it.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { readOnly } from "../../../connection.ts";
import { visible } from "../../../parts/text.ts";
import { Coded } from "./coded.tsx";
import { ProposalReview } from "./proposal-review.tsx";
import { QueryReview } from "./query-review.tsx";
import { announced, CANCEL, INSIST, newTopic, NO, RETRY, YES } from "./sentences.ts";
import type { Session } from "./session.ts";

export interface ReviewProps {
  session: Session;
  /** What the conversation said last. */
  last: string;
  say: (text: string) => void;
}

export function Review({ session, last, say }: ReviewProps): JSX.Element | null {
  const { waiting, queries, proposal, isConfirming } = session;
  const { notes, confirm } = announced(last);
  const canChange = !readOnly.value && !isConfirming;
  switch (waiting.for) {
    case "queries":
      if (queries === undefined) return null;
      return (
        <Card title={`Queries under review, version ${queries.version}`} notes={notes}>
          {isConfirming && <Confirm asked={confirm} say={say} />}
          <QueryReview key={queries.version} queries={queries.value} canChange={canChange} say={say} />
        </Card>
      );
    case "report":
      if (proposal === undefined) return null;
      return (
        <Card title={`Proposal under review, version ${proposal.version}`} notes={notes}>
          {isConfirming && <Confirm asked={confirm} say={say} />}
          <ProposalReview key={proposal.version} proposal={proposal.value} canChange={canChange} say={say} />
        </Card>
      );
    case "slot":
      return readOnly.value ? null : <Slot session={session} say={say} />;
    case "none":
      return readOnly.value ? null : <After session={session} say={say} />;
  }
}

interface CardProps {
  title: string;
  notes: readonly string[];
  children: ComponentChildren;
}

function Card({ title, notes, children }: CardProps): JSX.Element {
  return (
    <section class="card pf-review" aria-labelledby="pf-review-title">
      <h3 id="pf-review-title">{title}</h3>
      {children}
      {notes.length > 0 && (
        <ul class="pf-notes quiet" aria-label="To know">
          {notes.map((note, at) => (
            <li key={at}>
              <Coded text={note} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The last reply was only probably understood. */
function Confirm({ asked, say }: { asked: string | undefined; say: (text: string) => void }): JSX.Element {
  return (
    <div class="notice pf-confirm">
      <p>{visible(asked ?? "Was your last reply read rightly?")}</p>
      {!readOnly.value && (
        <p class="row">
          <button type="button" class="primary" onClick={() => say(YES)}>
            Yes
          </button>
          <button type="button" onClick={() => say(NO)}>
            No, change nothing
          </button>
        </p>
      )}
    </div>
  );
}

/** An action lacks something, or failed. */
function Slot({ session, say }: Pick<ReviewProps, "session" | "say">): JSX.Element {
  const { waiting, review } = session;
  const [action, missing] = waiting.for === "slot" ? [waiting.action, waiting.missing] : ["", []];
  const isSearch = action === "do-literature-review";
  return (
    <div class="pf-slot">
      <p class="row" role="group" aria-label="What can be said now">
        {(missing.length === 0 || isSearch) && (
          <button type="button" class="primary" onClick={() => say(RETRY)}>
            Try again
          </button>
        )}
        {isSearch && review !== undefined && (
          <button type="button" onClick={() => say(INSIST)}>
            Go on without records
          </button>
        )}
        <button type="button" class="danger" onClick={() => say(CANCEL)}>
          End this journey
        </button>
      </p>
      <NewTopic say={say} />
    </div>
  );
}

/** The proposal was delivered, or the journey ended: another can begin. */
function After({ session, say }: Pick<ReviewProps, "session" | "say">): JSX.Element | null {
  if (session.status === "active") return null;
  return (
    <div class="pf-after">
      {session.offered !== undefined && (
        <p class="row">
          <button type="button" class="primary" onClick={() => say(YES)}>
            Begin with “{visible(session.offered)}”
          </button>
        </p>
      )}
      <NewTopic say={say} />
    </div>
  );
}

function NewTopic({ say }: Pick<ReviewProps, "say">): JSX.Element {
  const [topic, setTopic] = useState("");
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (topic.trim() !== "") say(newTopic(topic));
      }}
    >
      <label class="row grow">
        New topic{" "}
        <input class="grow" value={topic} onInput={(event) => setTopic(event.currentTarget.value)} />
      </label>
      <button type="submit" disabled={topic.trim() === ""}>
        Begin a new journey
      </button>
    </form>
  );
}
