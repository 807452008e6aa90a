// Says something in a conversation: a run on its thread, about the question that the person was shown.

import { useState } from "preact/hooks";
import { told } from "../../../api/http.ts";
import type { Json, JsonObject, Run, Thread } from "../../../api/types.ts";
import { api } from "../../../connection.ts";
import { isObject } from "../../../parts/json-values.ts";
import type { Question, RunModel } from "../../../run/model.ts";
import { sendAnswers } from "../../thread/questions/send.ts";
import { tooLong } from "./sentences.ts";
import type { Conversation } from "./use-conversation.ts";

export interface Say {
  /** Answers whether it was taken. */
  say: (text: string) => Promise<boolean>;
  /** What was said, until the conversation has it. */
  sent: string | undefined;
  /** Whether something is on its way, or a turn is under way. */
  isBusy: boolean;
  /** Whether something can be said now: it is known what is asked. */
  isReady: boolean;
  /** Whether nothing can be said until a turn has ended. Neither this nor ready is a conversation that is still being read. */
  isBarred: boolean;
  problem: string | undefined;
}

export interface SayProps {
  record: Thread;
  model: RunModel;
  questions: readonly Question[];
  conversation: Conversation;
}

type Sent = { text: string; run: string | undefined; lines: number };

export function useSay({ record, model, questions, conversation }: SayProps): Say {
  const [sent, setSent] = useState<Sent>();
  const [problem, setProblem] = useState<string>();
  const { lines, isBusy, isSurelyBusy, isKnown } = conversation;
  const run = sent?.run === undefined ? undefined : model.runs.find(({ id }) => id === sent.run);
  const isTaken = sent !== undefined && lines.length > sent.lines;
  const isOver = run?.ended !== undefined;
  const say = async (text: string): Promise<boolean> => {
    const long = tooLong(text);
    setProblem(long);
    if (long !== undefined) return false;
    setSent({ text, run: undefined, lines: lines.length });
    try {
      const started = await start(record, questions, conversation, text);
      setSent({ text, run: started.run_id, lines: lines.length });
      return true;
    } catch (error) {
      setSent(undefined);
      setProblem(`It was not taken: ${told(error)}`);
      return false;
    }
  };
  const isOnItsWay = sent !== undefined && !isOver && !isTaken;
  return {
    say,
    sent: isOnItsWay ? sent.text : undefined,
    isBusy: isBusy || isOnItsWay,
    isReady: isKnown && !isOnItsWay,
    isBarred: isSurelyBusy || isOnItsWay,
    problem,
  };
}

async function start(
  record: Thread,
  questions: readonly Question[],
  { isAlone, asked, session }: Conversation,
  text: string,
): Promise<Run> {
  const { thread_id: thread, metadata } = record;
  const question = questions.at(-1);
  if (isAlone && question !== undefined) {
    return sendAnswers(api.peek(), thread, new Map([[question.id, { text, about: asked }]]));
  }
  const about = nameOf(asked);
  const conversation = session?.conversation ?? metadata.run ?? thread;
  const turn: JsonObject = { conversation_id: conversation, query: text, about: asked };
  const input: JsonObject = isAlone ? { turn } : { message: text, ...(about === undefined ? {} : { about }) };
  const assistant = metadata.assistant_id ?? metadata.graph_id ?? "pocketflow";
  // Whoever was faster has moved the conversation on: the person is shown where it stands then.
  const body = { assistant_id: assistant, input, multitask_strategy: "reject" };
  return api.peek().post<Run>(`/threads/${encodeURIComponent(thread)}/runs`, body);
}

/** The name of a question that a message can be about; the first question, for a topic, has none that says which. */
function nameOf(asked: Json): string | undefined {
  const id = isObject(asked) ? asked.id : undefined;
  return typeof id === "string" && /-[0-9a-f]{8}$/.test(id) ? id : undefined;
}
