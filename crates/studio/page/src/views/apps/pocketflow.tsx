// A research conversation: what is said beside what is thought, with what is under review and what was made.

import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { readOnly } from "../../connection.ts";
import { Empty, Problem } from "../../parts/basics.tsx";
import { documentsOf } from "./documents.tsx";
import type { AppProps } from "./index.ts";
import { AtWork } from "./pocketflow/at-work.tsx";
import { Box } from "./pocketflow/box.tsx";
import { Chat } from "./pocketflow/chat.tsx";
import { turnsOf } from "./pocketflow/log.ts";
import { Results } from "./pocketflow/results.tsx";
import { Review } from "./pocketflow/review.tsx";
import { Thoughts } from "./pocketflow/thoughts.tsx";
import { useConversation } from "./pocketflow/use-conversation.ts";
import { useSay } from "./pocketflow/use-say.ts";

export function PocketFlowView({ thread, record, model, questions }: AppProps): JSX.Element {
  const conversation = useConversation(thread, record, model, questions);
  const say = useSay({ record, model, questions, conversation });
  const { session, lines } = conversation;
  const turns = useMemo(() => turnsOf(model, session?.journey ?? []), [model, session]);
  const isReviewed = session !== undefined && !say.isBusy;
  const chat = useRef<HTMLElement>(null);
  const press = (text: string) => {
    // The button that was pressed is gone now.
    chat.current?.focus({ preventScroll: true });
    void say.say(text);
  };
  return (
    <div class="pf">
      <div class="pf-sides">
        <section ref={chat} class="pf-chat" aria-labelledby="pf-chat-title" tabIndex={-1}>
          <h3 id="pf-chat-title" class="hidden">
            Conversation
          </h3>
          {conversation.problem !== undefined && <Problem>{conversation.problem}</Problem>}
          <Chat lines={lines} sent={say.sent} isReviewed={isReviewed} waiting={session?.waiting} />
          {say.isBusy && <AtWork turn={turns.at(-1)} />}
          {!say.isBusy && !conversation.isKnown && <Empty>The question is being read …</Empty>}
          {say.problem !== undefined && <Problem>{say.problem}</Problem>}
          {session !== undefined && (
            // What the person has changed in it is still there when what was said was not taken.
            <div hidden={say.isBusy || !conversation.isKnown}>
              <Review session={session} last={lastOf(lines)} say={press} />
            </div>
          )}
          {!readOnly.value && <Box session={session} say={say} />}
        </section>
        <section class="pf-thoughts" aria-labelledby="pf-thoughts-title">
          <h3 id="pf-thoughts-title">Thoughts</h3>
          <Thoughts turns={turns} />
          {session !== undefined && (
            <Results
              thread={thread}
              session={session}
              isReviewed={isReviewed}
              documents={documentsOf(record.values)}
            />
          )}
        </section>
      </div>
    </div>
  );
}

/** What was said last by the conversation. */
function lastOf(lines: readonly { isPerson: boolean; text: string }[]): string {
  return lines.findLast(({ isPerson }) => !isPerson)?.text ?? "";
}
