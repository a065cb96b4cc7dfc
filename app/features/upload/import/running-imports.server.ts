import { database } from "~db/client.server";

/** A process that has been silent for so long has ended, whatever now has its number. */
const LONGEST_BATCH_MS = 60 * 60 * 1000;

export interface FileBeingImported {
  videoId: string;
  /** Inside the bucket videos. */
  target: string;
}

/** Files that imports of other processes are moving just now: they have no rows yet. */
export async function filesBeingImported(now = Date.now()): Promise<FileBeingImported[]> {
  const rows = await database()
    .selectFrom("imports")
    .select(["video_id", "target", "process", "started_at"])
    .where("finished_at", "is", null)
    .execute();
  return rows
    .filter((row) => isImporting(row, now))
    .map(({ video_id, target }) => ({ videoId: video_id, target }));
}

/** Whether another process is still moving a file that it has announced in `imports`. */
export function isImporting(row: { process: number; started_at: string }, now: number): boolean {
  return isRunning(row.process) && now - Date.parse(row.started_at) <= LONGEST_BATCH_MS;
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
