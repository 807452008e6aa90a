// A thread that was saved as a file, looked at without a server.

import type { JSX } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { told } from "../api/http.ts";
import type { ArchiveApi } from "../archive/api.ts";
import { archive } from "../connection.ts";
import { Problem } from "../parts/basics.tsx";
import { visible } from "../parts/text.ts";
import { go, link } from "../route.ts";
import { ArchiveBar } from "./archive/bar.tsx";
import { FileChoice } from "./archive/choose.tsx";
import { ThreadPage } from "./thread/index.tsx";

export function ArchivePage({ thread }: { thread: string | undefined }): JSX.Element {
  const open = archive.value;
  if (open === undefined) return <FileChoice wanted={thread} />;
  const { thread_id } = open.archive.thread;
  if (thread === undefined) {
    return (
      <>
        <p>
          The file with the thread <code>{visible(thread_id)}</code> is open.{" "}
          <a href={link(["file", "threads", thread_id])}>Show it</a>
        </p>
        <FileChoice wanted={undefined} />
      </>
    );
  }
  const close = () => {
    archive.value = undefined;
    go(link(["file"]));
  };
  return (
    <>
      <ArchiveBar archive={open.archive} onClose={close} />
      {thread === thread_id ? <Shown key={open.base} open={open} /> : <Another wanted={thread} open={thread_id} />}
    </>
  );
}

function Shown({ open }: { open: ArchiveApi }): JSX.Element {
  const [error] = useErrorBoundary();
  if (error !== undefined) {
    return <Problem>The thread cannot be shown as the file has it: {visible(told(error))}</Problem>;
  }
  return <ThreadPage thread={open.archive.thread.thread_id} />;
}

function Another({ wanted, open }: { wanted: string; open: string }): JSX.Element {
  return (
    <p class="notice" role="status">
      The file that is open is of another thread than <code>{visible(wanted)}</code>.{" "}
      <a href={link(["file", "threads", open])}>Show the thread of the file</a>
    </p>
  );
}
