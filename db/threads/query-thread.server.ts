import { findExecutable } from "~/shared/program.server";
import { connectionId, sqliteHandle } from "../client.server";
import { processState } from "../runtime.server";
import { createThread, type Thread } from "./thread.server";

/**
 * Queries that can take longer than 25 ms run in threads, each with its own connection. "reading" reads
 * lists and searches, "related" has the index of related videos, "studio" counts for the studio what takes longer
 * than a visitor should wait, and "writing" applies many changes and waits for the disk. "files" works on
 * media files and doesn't query the database.
 */
export type ThreadName = "reading" | "related" | "studio" | "writing" | "files";

/** Megabytes of short-lived objects: with the default, a thread grows to three times as many. */
const YOUNG_GENERATION_MB = 8;

const threads = processState(
  "query threads",
  () => new Map<ThreadName, Thread>(),
  (running) => Promise.all([...running.values()].map((thread) => thread.finish())),
);

/**
 * Asks a thread.
 *
 * @param task one of those in `app/entry.threads.server.ts`.
 */
export async function queryThread<Answer>(
  name: ThreadName,
  task: string,
  question: unknown,
): Promise<Answer> {
  const { name: file } = sqliteHandle();
  const all = threads();
  const thread = all.get(name) ?? create(name);
  all.set(name, thread);
  return thread.ask({ file, connection: connectionId(), task, question });
}

function create(name: ThreadName): Thread {
  const source = "../../app/entry.threads.server.ts";
  return createThread(name, findExecutable("threads", import.meta.url, source), {
    workerData: { thread: name },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}
