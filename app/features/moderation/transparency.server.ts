import { prepared } from "~db/client.server";
import { processState } from "~db/runtime.server";
import { queryThread } from "~db/threads/query-thread.server";
import type { Period } from "./transparency-figures.server";

const cached = processState("transparency figures", () => ({
  last: undefined as { entry: number; periods: Promise<Period[]> } | undefined,
}));

/**
 * Returns the figures by quarter, newest first. They are cached until an entry is added to the moderation log, which
 * happens for every report and every decision.
 */
export async function readTransparency(): Promise<{ periods: Period[] }> {
  const entry = prepared<number>("SELECT ifnull(max(id), 0) FROM moderation_log").pluck().get()!;
  const state = cached();
  if (state.last?.entry !== entry || entry === 0) {
    const periods = queryThread<Period[]>("studio", "transparency", null);
    state.last = { entry, periods };
    periods.catch(() => {
      state.last = undefined;
    });
  }
  return { periods: await state.last.periods };
}
