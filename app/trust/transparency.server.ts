import { processState } from "~db/runtime.server";
import { queryThread } from "~db/threads/query-thread.server";
import { logHead } from "./moderation-log.server";
import type { Period } from "./transparency-figures.server";

export interface Transparency {
  /** The newest first. */
  periods: Period[];
  /** Whoever notes these sees later whether the log was changed; the hash is empty without entries. */
  log: { entries: number; head: string };
}

const counted = processState("transparency figures", () => ({
  last: undefined as { head: string; periods: Promise<Period[]> } | undefined,
}));

/** The figures; counted anew when the log has a new entry, which every report and decision writes. */
export async function readTransparency(): Promise<Transparency> {
  const { entries, hash } = logHead();
  const state = counted();
  if (state.last?.head !== hash || entries === 0) {
    const periods = queryThread<Period[]>("studio", "transparency", null);
    state.last = { head: hash, periods };
    periods.catch(() => {
      state.last = undefined;
    });
  }
  return { periods: await state.last.periods, log: { entries, head: hash } };
}
