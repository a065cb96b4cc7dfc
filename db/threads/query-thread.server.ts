import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { connectionId, sqliteHandle } from "../client.server";
import { processState } from "../runtime.server";

/**
 * What can take more than a moment is asked of threads, each with a connection of its own. One reads
 * lists and searches, one holds the index of related videos, one counts for the studio what takes longer
 * than a visitor should wait, and one writes: it works off many changes, and waits for the disk. Another one works on
 * media files, and asks the database nothing.
 */
export type ThreadName = "reading" | "related" | "studio" | "writing" | "files";

interface Thread {
  worker: Worker;
  lastId: number;
  waiting: Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>;
}

/** Megabytes of short-lived objects: with the default, a thread grows to three times as many. */
const YOUNG_GENERATION_MB = 8;

const threads = processState(
  "query threads",
  () => new Map<ThreadName, Thread>(),
  (running) => Promise.all([...running.values()].map(end)),
);

/**
 * Asks a thread, starting it at first use. It ends with the process, and keeps it from ending only
 * while an answer is awaited. Rejects if the question can't be cloned, or the thread fails.
 *
 * @param task one of those in `app/entry.threads.server.ts`.
 */
export function queryThread<Answer>(
  name: ThreadName,
  task: string,
  question: unknown,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { name: file } = sqliteHandle();
    const thread = threads().get(name) ?? start(name);
    thread.lastId += 1;
    const id = thread.lastId;
    // May throw, and then nobody waits.
    thread.worker.postMessage({ id, file, connection: connectionId(), task, question });
    thread.waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
    thread.worker.ref();
  });
}

function start(name: ThreadName): Thread {
  const worker = startWorker({
    workerData: { thread: name },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const thread: Thread = { worker, lastId: 0, waiting: new Map() };
  const running = threads();
  running.set(name, thread);
  worker.on("message", ({ id, answer, error }) => {
    const asker = thread.waiting.get(id);
    thread.waiting.delete(id);
    if (thread.waiting.size === 0) worker.unref();
    if (error === undefined) asker?.resolve(answer);
    else asker?.reject(new Error(`The ${name} thread failed: ${error}`));
  });
  // The next question starts another.
  const gone = (reason: Error) => {
    if (running.get(name) === thread) running.delete(name);
    for (const { reject } of thread.waiting.values()) reject(reason);
    thread.waiting.clear();
  };
  worker.on("error", gone);
  worker.on("exit", () => gone(new Error(`The ${name} thread ended.`)));
  // After the listeners: Node keeps the process running for one of messages.
  worker.unref();
  return thread;
}

/** Ends a thread once it has answered what it was asked. */
async function end({ worker, waiting }: Thread): Promise<void> {
  // After an error nobody waits any more.
  while (waiting.size > 0) await once(worker, "message").catch(() => {});
  await worker.terminate();
}

/** The built file beside the server's bundle, or the source by way of tsx, in tests and scripts. */
function startWorker(options: WorkerOptions): Worker {
  const folder = path.dirname(fileURLToPath(import.meta.url));
  const built = path.join(folder, "threads.js");
  if (fs.existsSync(built)) return new Worker(built, options);
  const source = pathToFileURL(path.join(folder, "../../app/entry.threads.server.ts")).href;
  const program = `import("tsx/esm/api").then((tsx) => {
    tsx.register();
    return import(${JSON.stringify(source)});
  });`;
  return new Worker(program, { ...options, eval: true, execArgv: [] });
}
