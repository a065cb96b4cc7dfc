import { queryThread } from "~db/threads/query-thread.server";
import { logHead } from "./moderation-log.server";
import type { Period } from "./transparency-figures.server";

export interface Transparency {
  /** The newest first. */
  periods: Period[];
  /** Whoever notes these sees later whether the log was changed; the hash is empty without entries. */
  log: { entries: number; head: string };
}

let last: { head: string; periods: Promise<Period[]> } | undefined;

/** The figures; counted anew when the log has a new entry, which every report and decision writes. */
export async function readTransparency(): Promise<Transparency> {
  const { entries, hash } = logHead();
  if (last?.head !== hash || entries === 0) {
    last = { head: hash, periods: queryThread<Period[]>("studio", "transparency", null) };
    last.periods.catch(() => {
      last = undefined;
    });
  }
  return { periods: await last.periods, log: { entries, head: hash } };
}
