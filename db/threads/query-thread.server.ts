import { findExecutable } from "~/shared/program.server";
import { connectionId, sqliteHandle } from "../client.server";
import { processState } from "../runtime.server";
import { createThread, type Thread } from "./thread.server";

/**
 * The threads for queries that can take longer than 25 ms, each with a separate connection. "reading" runs queries for
 * lists and searches. "related" has the index for related videos. "studio" runs slow count queries for the studio.
 * "writing" applies many changes and waits for the disk. "files" works on media files and doesn't query the database.
 */
export type ThreadName = "reading" | "related" | "studio" | "writing" | "files";

/** The size of the heap's young generation. With the default size, a thread uses three times as much memory. */
const YOUNG_GENERATION_MB = 8;

const threads = processState(
  "query threads",
  () => new Map<ThreadName, Thread>(),
  (running) => Promise.all([...running.values()].map((thread) => thread.finish())),
);

/**
 * Runs a task in a thread and returns its result.
 *
 * @param task one of the tasks in `app/entry.threads.server.ts`.
 */
export async function queryThread<Result>(
  name: ThreadName,
  task: string,
  input: unknown,
): Promise<Result> {
  const { name: file } = sqliteHandle();
  const all = threads();
  const thread = all.get(name) ?? create(name);
  all.set(name, thread);
  return thread.request({ file, connection: connectionId(), task, input });
}

function create(name: ThreadName): Thread {
  const source = "../../app/entry.threads.server.ts";
  return createThread(name, findExecutable("threads", import.meta.url, source), {
    workerData: { thread: name },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}
