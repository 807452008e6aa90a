// WriteHERE: the tree of tasks as it grows, beside it the text as it is written, and what each of them rests on.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Empty, Problem } from "../../../parts/basics.tsx";
import { route } from "../../../route.ts";
import { Questions } from "../../thread/questions.tsx";
import type { AppProps } from "../index.ts";
import { useInnerState } from "../inner.ts";
import { namespaceOf } from "../namespace.ts";
import { useChosen } from "./chosen.ts";
import { SourcesContext } from "./citations.tsx";
import { numbered, partsOf, progressOf } from "./document.ts";
import { DocumentView } from "./document-view.tsx";
import { wordsIn } from "./length.ts";
import { ProgressLine } from "./progress.tsx";
import { isUnderWay } from "./rows.ts";
import { SourcePanel } from "./source.tsx";
import { writingIn } from "./state.ts";
import { TaskPanel } from "./task-panel.tsx";
import { TreeView } from "./tree-view.tsx";
import { carriedOut, worksOf } from "./work.ts";

/** The node of the graph around it at which WriteHERE's own graph is. */
const NODE = "write";

export function TextView({ thread, model, questions }: AppProps): JSX.Element {
  const ns = namespaceOf(model, NODE);
  const { state, problem } = useInnerState(thread, model, NODE);
  const writing = useMemo(() => writingIn(state?.values), [state]);
  const works = useMemo(() => worksOf(model, ns), [model, ns]);
  const underWay = carriedOut(works).join(" ");
  const parts = useMemo(
    () => (writing === undefined ? [] : partsOf(writing, new Set(underWay.split(" ")))),
    [writing, underWay],
  );
  const byId = useMemo(() => {
    const { references } = writing?.finished ?? {};
    if (references !== undefined && references.length > 0) {
      return new Map(references.flatMap((one) => one.evidence.map((id) => [id, one] as const)));
    }
    return numbered(parts, writing?.evidence ?? new Map());
  }, [writing, parts]);
  const chosen = useChosen();
  const sources = useMemo(() => ({ byId, open: chosen.openSource }), [byId, route.value]);
  const asks = questions.length > 0 && <Questions thread={thread} questions={questions} isAlone={false} />;
  if (writing === undefined) {
    return (
      <>
        {asks}
        {problem !== undefined && <Problem>{problem}</Problem>}
        {state === undefined && problem === undefined && <Empty>The text is being read …</Empty>}
        {state !== undefined && questions.length === 0 && (
          <Empty>
            {model.runs.length === 0 ? "No run of its own is told on this thread." : "Nothing is planned yet."}
          </Empty>
        )}
      </>
    );
  }
  const wanted = writing.wanted ?? wordsIn(writing.nodes.get("root")?.length);
  const goesOn = isUnderWay(model, ns);
  return (
    <SourcesContext.Provider value={sources}>
      <div class="writehere">
        {asks}
        {problem !== undefined && <Problem>{problem}</Problem>}
        <ProgressLine
          progress={progressOf(writing, parts, wanted)}
          status={writing.finished?.status}
          goesOn={goesOn}
          asks={questions.length > 0}
        />
        <div class="wh-panes">
          <div class="wh-side">
            <TreeView {...{ writing, works, goesOn, time: model.time, chosen }} />
            {chosen.source !== undefined ? (
              <SourcePanel writing={writing} id={chosen.source} onClose={chosen.close} />
            ) : (
              chosen.part !== undefined && <TaskPanel {...{ writing, works, goesOn, time: model.time, chosen }} />
            )}
          </div>
          <DocumentView {...{ writing, parts, works, chosen }} />
        </div>
      </div>
    </SourcesContext.Provider>
  );
}
