import { workerData } from "node:worker_threads";
import Sqlite from "better-sqlite3";
import { projecting } from "./project-changes.server";
import { answerQuestions } from "./thread.server";

/** Makes what answers the questions of a task on a connection. */
export type Task = (sqlite: Sqlite.Database) => (question: never) => unknown;

/** Of pages in memory; SQLite's own 16 MiB for all threads would be beyond the bound of the process. */
const STUDIO_CACHE_KIB = 4 * 1024;

interface Asked {
  file: string;
  /** Another id: the file may have been replaced. */
  connection: string;
  task: string;
  question: unknown;
}

/**
 * The program of a thread: answers questions on a connection of its own, which only reads, unless
 * the thread is the one that writes.
 */
export function serveThread(readingTasks: Readonly<Record<string, Task>>): void {
  const tasks: Record<string, Task> = {
    ...readingTasks,
    // Brings the log of the database into its file. Writers and readers go on meanwhile.
    checkpoint: (sqlite) => () => void sqlite.pragma("wal_checkpoint(PASSIVE)"),
    project: projecting,
  };
  const readonly = workerData.thread !== "writing";
  let sqlite: Sqlite.Database | undefined;
  let opened: string | undefined;
  let answers = new Map<string, (question: never) => unknown>();

  answerQuestions(({ file, connection, task, question }: Asked) => {
    if (sqlite?.name !== file || opened !== connection) {
      sqlite?.close();
      opened = connection;
      sqlite = new Sqlite(file, { readonly, fileMustExist: true, timeout: 5_000 });
      if (workerData.thread === "studio") sqlite.pragma(`cache_size = -${STUDIO_CACHE_KIB}`);
      answers = new Map();
    }
    const begin = tasks[task];
    if (!begin) throw new Error(`There is no task ${task}.`);
    const ask = answers.get(task) ?? begin(sqlite);
    answers.set(task, ask);
    return ask(question as never);
  });
}
