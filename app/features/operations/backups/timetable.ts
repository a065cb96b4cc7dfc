/** When backups are due: at a moment and each `everyMs` after it, so that nothing adds up. Milliseconds. */

/**
 * The time of the timetable that a backup is due for now. Of several that were missed it is the last:
 * they are made up by one.
 *
 * @param last the time that the last one was made for; undefined before the first.
 * @returns undefined while none is due.
 */
export function dueNow(last: number | undefined, everyMs: number, now: number): number | undefined {
  // The last one lies ahead when the clock was wrong then.
  if (last === undefined || last > now + everyMs) return now;
  const missed = Math.floor((now - last) / everyMs);
  return missed > 0 ? last + missed * everyMs : undefined;
}

/** The time of the next one; `now` when one is due. */
export function nextDue(last: number | undefined, everyMs: number, now: number): number {
  if (last === undefined || dueNow(last, everyMs, now) !== undefined) return now;
  return last + everyMs;
}
