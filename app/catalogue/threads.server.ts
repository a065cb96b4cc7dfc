import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import type { CheckpointAnswer, CheckpointQuestion } from "./checkpoint-log.server";
import type { RelatedAnswer, RelatedQuestion } from "./related-places.server";
import type { SearchAnswer, SearchQuestion } from "./search-hits.server";

interface Tasks {
  search: { question: SearchQuestion; answer: SearchAnswer };
  related: { question: RelatedQuestion; answer: RelatedAnswer };
  checkpoint: { question: CheckpointQuestion; answer: CheckpointAnswer };
}
type Task = keyof Tasks;

interface Thread {
  worker: Worker;
  lastId: number;
  waiting: Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>;
}

// On globalThis, because the development server evaluates this module anew after an edit.
const holder = globalThis as { afterdarkThreads?: Map<Task, Thread> };
holder.afterdarkThreads ??= new Map();
const threads = holder.afterdarkThreads;

/**
 * Asks the thread of a task, starting it at first use. It ends with the process, and keeps it from
 * ending only while an answer is awaited.
 */
export function askThread<T extends Task>(
  task: T,
  question: Tasks[T]["question"],
): Promise<Tasks[T]["answer"]> {
  const thread = threads.get(task) ?? start(task);
  thread.lastId += 1;
  const id = thread.lastId;
  return new Promise((resolve, reject) => {
    thread.waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
    thread.worker.ref();
    thread.worker.postMessage({ id, question });
  });
}

function start(task: Task): Thread {
  const worker = startWorker({ workerData: { task } });
  const thread: Thread = { worker, lastId: 0, waiting: new Map() };
  threads.set(task, thread);
  worker.on("message", ({ id, answer, error }) => {
    const asker = thread.waiting.get(id);
    thread.waiting.delete(id);
    if (thread.waiting.size === 0) worker.unref();
    if (error === undefined) asker?.resolve(answer);
    else asker?.reject(new Error(`The ${task} thread failed: ${error}`));
  });
  // The next question starts another.
  const gone = (reason: Error) => {
    if (threads.get(task) === thread) threads.delete(task);
    for (const { reject } of thread.waiting.values()) reject(reason);
    thread.waiting.clear();
  };
  worker.on("error", gone);
  worker.on("exit", () => gone(new Error(`The ${task} thread ended.`)));
  return thread;
}

/** The built file beside the server's bundle, or the source by way of tsx, in tests and scripts. */
function startWorker(options: WorkerOptions): Worker {
  const folder = path.dirname(fileURLToPath(import.meta.url));
  const built = path.join(folder, "catalogue-thread.js");
  if (fs.existsSync(built)) return new Worker(built, options);
  const source = pathToFileURL(path.join(folder, "catalogue-thread.server.ts")).href;
  const program = `import("tsx/esm/api").then((tsx) => {
    tsx.register();
    return import(${JSON.stringify(source)});
  });`;
  return new Worker(program, { ...options, eval: true, execArgv: [] });
}
