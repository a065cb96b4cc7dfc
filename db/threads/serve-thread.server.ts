import { workerData } from "node:worker_threads";
import Sqlite from "better-sqlite3";
import { createProjectTask } from "./project-changes.server";
import { handleRequests } from "./thread.server";

/** Creates a function that runs a task on a connection. */
export type Task = (sqlite: Sqlite.Database) => (input: never) => unknown;

/**
 * The size of the page cache. With SQLite's default of 16 MiB per thread, all threads together would exceed the
 * process's memory limit.
 */
const STUDIO_CACHE_KIB = 4 * 1024;

interface TaskRequest {
  file: string;
  /** A value that changes whenever the file may have been replaced. */
  connection: string;
  task: string;
  input: unknown;
}

/** Runs a thread's tasks on a separate connection, which is read-only except in the writing thread. */
export function serveThread(readingTasks: Readonly<Record<string, Task>>): void {
  const tasks: Record<string, Task> = {
    ...readingTasks,
    // The checkpoint is passive, so it blocks neither readers nor writers.
    checkpoint: (sqlite) => () => void sqlite.pragma("wal_checkpoint(PASSIVE)"),
    project: createProjectTask,
  };
  const readonly = workerData.thread !== "writing";
  let sqlite: Sqlite.Database | undefined;
  let opened: string | undefined;
  let runners = new Map<string, (input: never) => unknown>();

  handleRequests(({ file, connection, task, input }: TaskRequest) => {
    if (sqlite?.name !== file || opened !== connection) {
      sqlite?.close();
      opened = connection;
      sqlite = new Sqlite(file, { readonly, fileMustExist: true, timeout: 5_000 });
      if (workerData.thread === "studio") sqlite.pragma(`cache_size = -${STUDIO_CACHE_KIB}`);
      runners = new Map();
    }
    const create = tasks[task];
    if (!create) throw new Error(`Unknown task: ${task}`);
    const run = runners.get(task) ?? create(sqlite);
    runners.set(task, run);
    return run(input as never);
  });
}
