import { randomUUID } from "node:crypto";
import { prepared, writeTransaction } from "~db/client.server";
import { writingTurns } from "~db/threads/checkpoint.server";
import { queryThread } from "~db/threads/query-thread.server";
import { holdsOf } from "../holds.server";
import { appendToLog } from "../moderation-log.server";
import { dayOf } from "./consent";
import { LACKS_RECORD, type Lacking } from "./lacking.server";
import { withoutRequirement } from "./requirement.server";
import { lacksOf } from "./validity.server";

const AT_ONCE = 32;

export function lacking(now = Date.now()): Promise<Lacking> {
  return queryThread<Lacking>("studio", "lacking-consent", { now });
}

/** The public videos with a number above that lack a record, a few at a time. */
const NEXT = `SELECT number, id FROM videos
  WHERE number > @after AND status = 'published' AND ${LACKS_RECORD} ORDER BY number LIMIT ${AT_ONCE}`;

/**
 * Hides the public videos without a valid record. In parts: others have their turn in between.
 *
 * @returns what undoes it, and how many it hid.
 */
export async function hideLacking(
  userId: string,
  now = Date.now(),
): Promise<{ batch: string; hidden: number }> {
  const batch = randomUUID();
  const turn = writingTurns();
  const today = dayOf(now);
  let after = 0;
  let hidden = 0;
  await forgetOldBatches();
  for (;;) {
    const rows = prepared(NEXT).all({ today, after }) as { number: number; id: string }[];
    const last = rows.at(-1);
    if (!last) break;
    after = last.number;
    hidden += await writeTransaction(() => {
      // Asked again: a record may have come in meanwhile.
      const lacks = lacksOf(
        rows.map(({ id }) => id),
        now,
      );
      let changed = 0;
      for (const id of lacks.keys()) {
        const { changes } = prepared(
          "UPDATE videos SET status = 'hidden' WHERE id = ? AND status = 'published'",
        ).run(id);
        if (changes === 0) continue;
        prepared("INSERT INTO consent_hidings (batch, video_id) VALUES (?, ?)").run(batch, id);
        changed += 1;
      }
      return changed;
    });
    await turn();
  }
  await writeTransaction(() =>
    appendToLog({ action: "consent-hide-all", userId, detail: { batch, videos: hidden } }, now),
  );
  return { batch, hidden };
}

/** Only the last one can be undone. */
async function forgetOldBatches(): Promise<void> {
  await writeTransaction(() => prepared("DELETE FROM consent_hidings").run());
}

/**
 * Publishes again what was hidden together, but for what has been held, published or deleted since.
 *
 * @returns how many videos are public again.
 */
export async function undoHiding(batch: string, userId: string, now = Date.now()): Promise<number> {
  const turn = writingTurns();
  let shown = 0;
  for (;;) {
    const ids = prepared(`SELECT video_id FROM consent_hidings WHERE batch = ? LIMIT ${AT_ONCE}`)
      .pluck()
      .all(batch) as string[];
    if (ids.length === 0) break;
    shown += await writeTransaction(() => withoutRequirement(() => showAgain(ids, batch)));
    await turn();
  }
  if (shown > 0) {
    await writeTransaction(() =>
      appendToLog({ action: "consent-hide-undo", userId, detail: { batch, videos: shown } }, now),
    );
  }
  return shown;
}

function showAgain(ids: readonly string[], batch: string): number {
  const held = holdsOf(ids);
  let changed = 0;
  for (const id of ids) {
    prepared("DELETE FROM consent_hidings WHERE batch = ? AND video_id = ?").run(batch, id);
    if (held.has(id)) continue;
    const { changes } = prepared(
      "UPDATE videos SET status = 'published' WHERE id = ? AND status = 'hidden'",
    ).run(id);
    changed += changes;
  }
  return changed;
}
