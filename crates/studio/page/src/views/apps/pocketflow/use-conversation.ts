// A conversation as it is now: what was said, what is asked, what was found and made. While a turn is under way, what
// it works on is in the state of the conversation's own graph, inside of the graph around it. A program serves the own
// graph alone.

import { useRef } from "preact/hooks";
import type { Json, JsonObject, Thread } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
import { namespaceKey, type Question, type RunModel } from "../../../run/model.ts";
import { isBusy } from "../../thread/now.ts";
import { type State, useThreadState } from "../../thread/state/use-state.ts";
import { stand, useOuterState } from "../inner.ts";
import { namespaceOf } from "../namespace.ts";
import { type Session, sessionOf } from "./session.ts";

/** The node of the conversation in the graph around it. */
const NODE = "converse";

export interface Line {
  isPerson: boolean;
  text: string;
}

export interface Conversation {
  /** Whether the own graph is served alone. */
  isAlone: boolean;
  session: Session | undefined;
  lines: Line[];
  /** The question that is asked now, as the application names it. */
  asked: Json;
  /** Whether a turn is under way, as far as is known. */
  isBusy: boolean;
  /** Whether both the record and the events say so: while a page opens, one of them is behind the other. */
  isSurelyBusy: boolean;
  /** Whether it is known what is asked: it is read when a page opens. */
  isKnown: boolean;
  problem: string | undefined;
}

export function useConversation(thread: string, record: Thread, model: RunModel, questions: Question[]): Conversation {
  const run = model.runs.at(-1);
  const isUnderWay = isBusy(record, run);
  const outer = useOuterState(thread, model);
  const ns = namespaceOf(model, NODE);
  const call = model.calls.findLast((one) => namespaceKey(one.namespace) === ns);
  const isInside = isUnderWay && ns !== "" && call !== undefined && call.run === run?.index;
  const inner = useThreadState(thread, isInside ? ns : undefined, undefined, stand(model, ns));
  const shown = useRef<Session>(undefined);
  // What the turn came to is in the state around it a little later.
  const before = useRef<State>(undefined);
  if (isInside) before.current = outer.state;
  const newest = model.commits.findLast((commit) => commit.namespace.length === 0)?.id;
  const isLate = before.current !== undefined && outer.state === before.current && at(outer.state) !== newest;

  const values: JsonObject = outer.state?.values ?? record.values ?? {};
  // Before its first turn a conversation has no state; that of a program names its run.
  const isAlone = isObject(values.turn) ? !("messages" in values) : "run" in record.metadata;
  const hasTurn = isUnderWay || isLate;
  // Where the state cannot be read, what the record says is all that will be known.
  const isRead = outer.state !== undefined || outer.problem !== undefined;
  const ofTurn = isInside ? sessionOf(inner.state?.values.session) : isLate ? shown.current : undefined;
  shown.current = ofTurn ?? (isInside ? shown.current : undefined) ?? sessionOf(values.session);
  const turn = isInside ? inner.state?.values.turn : values.turn;
  return {
    isAlone,
    session: shown.current,
    lines: linesOf(values, shown.current, isAlone, hasTurn && isObject(turn) ? turn : undefined),
    asked: isAlone ? askedAlone(questions) : (values.asked ?? null),
    isBusy: hasTurn,
    isSurelyBusy: record.status === "busy" && run !== undefined && run.ended === undefined,
    isKnown: isRead && !hasTurn && (!isAlone || hasQuestion(record, questions)),
    problem: outer.problem,
  };
}

function at(state: State | undefined): string | undefined {
  return state?.checkpoint?.checkpoint_id;
}

function linesOf(
  values: JsonObject,
  session: Session | undefined,
  isAlone: boolean,
  turn: JsonObject | undefined,
): Line[] {
  if (isAlone) return (session?.history ?? []).map(({ role, text }) => ({ isPerson: role === "user", text }));
  const messages = Array.isArray(values.messages) ? values.messages : [];
  const lines = messages.flatMap((message): Line[] => {
    if (!isObject(message)) return [];
    const text = typeof message.content === "string" ? message.content : "";
    return text === "" ? [] : [{ isPerson: message.type === "human" || message.role === "user", text }];
  });
  const said = turn?.query ?? values.message;
  const isNew = typeof said === "string" && said !== "" && lines.at(-1)?.isPerson !== true;
  return isNew ? [...lines, { isPerson: true, text: said }] : lines;
}

/** Whether the question of the record is among these: they are read again when a page opens, and are newer when one is asked. */
function hasQuestion(record: Thread, questions: readonly Question[]): boolean {
  const asked = Object.values(record.interrupts).flat();
  return asked.length === 0 || questions.some(({ id }) => asked.some((one) => one.id === id));
}

/** What a conversation that waits by a question asks. */
function askedAlone(questions: readonly Question[]): Json {
  const value = questions.at(-1)?.value;
  return (isObject(value) ? value.question : undefined) ?? null;
}
