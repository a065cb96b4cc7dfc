import { type JobChange, jobChanger } from "~/features/processing/queue/change-jobs.server";
import { enqueueIn, KINDS_OF_ALL } from "~/features/processing/queue/enqueue.server";
import { database } from "~db/client.server";
import { allRows } from "~db/run-query.server";
import type { BulkChange } from "./bulk";

interface SelectedVideo {
  id: string;
  title: string;
}

export type Conversion = Extract<BulkChange, { action: `convert-${JobChange}` }>;

const CHANGES: Record<Conversion["action"], JobChange> = {
  "convert-again": "again",
  "convert-now": "now",
  "convert-later": "later",
};

export function isConversion(change: BulkChange): change is Conversion {
  return change.action in CHANGES;
}

/**
 * Makes what has videos made again, first or last, inside of the transaction in which it is called. Of
 * a video everything is made again: what it has stays in use until then.
 */
export function videoConverter({ action }: Conversion) {
  const change = CHANGES[action];
  const changeJobs = jobChanger(change);
  return (selected: readonly SelectedVideo[]) => {
    const chosen = selected.map(({ id }) => id);
    const changed = new Set<string>();
    const refused = new Set<string>();
    if (change === "again") {
      for (const id of withoutFile(chosen)) refused.add(id);
      const able = chosen.filter((id) => !refused.has(id));
      for (const id of withoutAllJobs(able)) changed.add(id);
      enqueueIn(able);
    }
    const videos = chosen.filter((id) => !refused.has(id));
    for (const { video_id } of changeJobs({ videos })) changed.add(video_id);
    const titles = (of: ReadonlySet<string>) =>
      selected.filter(({ id }) => of.has(id)).map(({ title }) => title);
    return { titles: titles(changed), refused: titles(refused) };
  };
}

function withoutFile(ids: readonly string[]): string[] {
  const rows = allRows(
    database()
      .selectFrom("videos")
      .select("id")
      .where("id", "in", ids)
      .where("video_url", "=", "")
      .where("source_url", "is", null),
  );
  return rows.map(({ id }) => id);
}

function withoutAllJobs(ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const rows = allRows(
    database()
      .selectFrom("jobs")
      .select("video_id")
      .where("video_id", "in", ids)
      .where("kind", "in", KINDS_OF_ALL)
      .groupBy("video_id")
      .having((e) => e.fn.countAll(), "=", KINDS_OF_ALL.length),
  );
  const complete = new Set(rows.map(({ video_id }) => video_id));
  return ids.filter((id) => !complete.has(id));
}
