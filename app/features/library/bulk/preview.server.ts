import { categoryLabel } from "~/shared/categories";
import { prepared } from "~db/client.server";
import { readTags } from "~db/tags";
import { type BulkChange, type BulkPreview, withheldSentence } from "./bulk";
import { selectVideos } from "./bulk.server";
import type { Conversion } from "./convert-videos.server";
import { type ColumnChange, planned, type SelectedVideo } from "./planned.server";

/** Videos whose change is shown one by one. */
const ROWS_SHOWN = 10;
/** Fields of the form that are not those of the change. */
const OWN_FIELDS = ["intent", "do", "selected", "all", "preview"];

/**
 * What a change would do to videos, without doing it.
 *
 * @param form what was sent: its fields are sent again to do it.
 */
export async function previewBulk(
  change: Exclude<BulkChange, Conversion | { action: "delete" }>,
  ids: readonly string[],
  form: FormData,
): Promise<BulkPreview> {
  const rows = selectVideos(ids);
  const order = new Map(ids.map((id, index) => [id, index]));
  rows.sort((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0));
  const { changed, refused, because, withheld }: Shown =
    "series" in change ? inSeries(change, rows) : inRows(change, rows);
  const fields = [...form].filter(([name]) => !OWN_FIELDS.includes(name));
  return {
    action: change.action,
    ids: [...ids],
    fields: fields.map(([name, value]) => [name, String(value)]),
    rows: changed.slice(0, ROWS_SHOWN),
    changed: changed.length,
    unchanged: rows.length - changed.length - refused.length,
    gone: ids.length - rows.length,
    refused,
    because,
    withheld,
  };
}

interface Shown {
  changed: BulkPreview["rows"];
  /** Titles. */
  refused: string[];
  because?: string;
  withheld?: string;
}

function inRows(change: ColumnChange, rows: readonly SelectedVideo[]): Shown {
  const { changed, refused, because, withheld } = planned(change, rows);
  return {
    changed: changed.map(({ row, columns }) => ({
      id: row.id,
      title: row.title,
      before: described(change, row),
      after: described(change, { ...row, ...columns }),
    })),
    refused: refused.map(({ title }) => title),
    because,
    withheld: withheld && withheldSentence(withheld),
  };
}

/** What of a video a change is about, as text. */
function described({ action }: ColumnChange, row: SelectedVideo): string {
  if (action === "category") return categoryLabel(row.category);
  if (action === "add-tags" || action === "remove-tags") return readTags(row.tags).join(", ");
  const isVisibility = action === "publish" || action === "hide";
  return [
    isVisibility && row.status,
    row.publish_at && `published at ${minute(row.publish_at)}`,
    row.unpublish_at && `hidden at ${minute(row.unpublish_at)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** UTC: what the form was filled in with is the browser's, which the server does not know. */
function minute(time: string): string {
  return `${time.slice(0, 16).replace("T", " ")} UTC`;
}

function inSeries(
  { action, series }: Extract<BulkChange, { series: unknown }>,
  rows: readonly SelectedVideo[],
): Shown {
  const has = prepared("SELECT 1 FROM series_videos WHERE series_id = ? AND video_id = ?");
  const isAdding = action === "add-series";
  const changed = rows.filter(({ id }) => Boolean(has.get(series.id, id)) !== isAdding);
  const [without, within] = ["", `in “${series.title}”`];
  return {
    changed: changed.map(({ id, title }) => ({
      ...{ id, title },
      before: isAdding ? without : within,
      after: isAdding ? within : without,
    })),
    refused: [],
  };
}
