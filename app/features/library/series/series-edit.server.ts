import type { Failure } from "~/platform/failure";
import { addToSeries, removeFromSeries } from "./change-series.server";
import { namedSeries, noSeries } from "./series-list.server";

/** What the edit form of a video says of its series. */
export interface SeriesEdit {
  /** The id of the one it is put into. */
  add?: number;
  /** The ids of those it is taken out of. */
  leave: number[];
}

/** The fields `addToSeries`, a title, and `leaveSeries.{id}`; a sentence when there is no such series. */
export function readSeriesEdit(fields: FormData): SeriesEdit | string {
  const name = String(fields.get("addToSeries") ?? "").trim();
  const leave = [...fields.keys()].flatMap((field) => {
    const id = /^leaveSeries\.(\d{1,15})$/.exec(field)?.[1];
    return id ? [Number(id)] : [];
  });
  if (name === "") return { leave };
  const series = namedSeries(name);
  return series ? { add: series.id, leave } : noSeries(name);
}

/** Puts a video into a series and takes it out of others; returns the failure when one can't be changed. */
export async function editSeriesOf(
  videoId: string,
  { add, leave }: SeriesEdit,
  userId: string,
): Promise<Failure | undefined> {
  // One that is gone has no videos any more.
  for (const id of leave) await removeFromSeries(id, [videoId], userId);
  const added = add === undefined ? undefined : await addToSeries(add, [videoId], userId);
  return added && "status" in added ? added : undefined;
}
