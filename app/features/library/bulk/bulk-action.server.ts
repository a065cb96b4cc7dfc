import { resolveAliases } from "~/features/catalogue/tags.server";
import { changeableIds, isRefusal } from "~/features/permissions/may-change.server";
import type { OwnVideos } from "~/features/permissions/permissions";
import { WITHOUT_FFMPEG } from "~/features/processing/queue/failure-reasons";
import { readSchedule } from "~/features/visibility/schedule";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { failure } from "~/platform/failure";
import { categoryLabel } from "~/shared/categories";
import { formatQuantity, nameTitles } from "~/shared/format";
import { anyCategory, check, firstMessage, tags } from "~/shared/video-fields";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { prepared } from "~db/client.server";
import { readTags } from "~db/tags";
import { type ManageView, manageHref } from "../list/manage-address";
import { findVideoIds } from "../list/managed-list.server";
import type { FormFailure } from "../managed-video";
import { refusalFailure } from "../refusals.server";
import { addToSeries, removeFromSeries } from "../series/change-series.server";
import { findSeriesByName, unknownSeriesMessage } from "../series/series-list.server";
import {
  BULK_ACTIONS,
  BULK_TEXTS,
  type BulkChange,
  type BulkPreview,
  type BulkResult,
  type DeleteConfirmation,
  MAX_BULK_VIDEOS,
  onHoldMessage,
  REFUSAL_REASONS,
  type Skipped,
} from "./bulk";
import { changeVideos, describeDeletion, existingIds, selectVideos } from "./bulk.server";
import {
  type ColumnChange,
  type Conversion,
  isConversion,
  planChange,
  type SelectedVideo,
} from "./plan-change.server";

const NOTHING_CHANGED = "No videos were changed.";

/**
 * Handles the bulk form. `do` specifies the action, and `selected` specifies the videos; `all` selects every video in
 * the list from which the form was submitted. A deletion must be confirmed first. If `preview` is set, any other action
 * is previewed first, except for re-encoding videos or moving them in the queue.
 *
 * @param own set for users who may change only their own videos.
 */
export async function performBulk(
  form: FormData,
  view: ManageView,
  userId: string,
  own?: OwnVideos,
): Promise<
  FormFailure | ToastMessage | { confirmation: DeleteConfirmation } | { preview: BulkPreview }
> {
  const change = readChange(form);
  if (typeof change === "string") return failure(422, NOTHING_CHANGED, { detail: change });
  const selected = await selectedIds(form, view);
  if (typeof selected === "string") return failure(422, NOTHING_CHANGED, { detail: selected });
  const ids = changeableIds(own, selected);
  if (isRefusal(ids)) return refusalFailure(ids, NOTHING_CHANGED);
  if (change.action === "delete" && !form.has("confirmed")) {
    return { confirmation: await describeDeletion(ids) };
  }
  const needsPreview = form.has("preview") && !form.has("confirmed");
  if (needsPreview && change.action !== "delete" && !isConversion(change)) {
    return { preview: await previewBulk(change, ids, form) };
  }
  const result =
    "series" in change
      ? await changeSeries(change, ids, userId)
      : await changeVideos(change, ids, userId);
  if (isRefusal(result)) return refusalFailure(result, NOTHING_CHANGED);
  if ("status" in result) return result;
  const outcome = describeResult(change, result);
  if ("status" in outcome || !result.batch) return outcome;
  return { ...outcome, action: undoAction(result.batch, view) };
}

/** Returns the Undo button for a deletion's toast. Pressing it returns the user to the list. */
export function undoAction(batch: string, view: ManageView): ToastMessage["action"] {
  return { label: "Undo", to: manageHref(view), fields: { intent: "restore", batch } };
}

async function changeSeries(
  { action, series }: Extract<BulkChange, { series: unknown }>,
  ids: readonly string[],
  userId: string,
): Promise<BulkResult | FormFailure> {
  const isAdding = action === "add-series";
  const outcome = await (isAdding ? addToSeries : removeFromSeries)(series.id, ids, userId);
  if ("status" in outcome) return outcome;
  const existing = existingIds(ids).length;
  const done = outcome.changed.length;
  return { done, unchanged: existing - done, gone: ids.length - existing, refused: [] };
}

/** Returns the change that a form requests, or a message about what is missing. */
function readChange(form: FormData): BulkChange | string {
  const action = BULK_ACTIONS.find((each) => each === form.get("do"));
  if (!action) return "Choose an action.";
  if (action === "category") {
    const category = check(anyCategory, form.get("category"));
    return category.ok ? { action, category: category.value } : firstMessage(category);
  }
  if (action === "schedule") return readScheduling(form);
  if (action.startsWith("convert-") && !ffmpegAvailable()) return WITHOUT_FFMPEG;
  if (action === "add-series" || action === "remove-series") {
    const name = String(form.get("series") ?? "").trim();
    if (name === "") return "Enter the name of a series.";
    const series = findSeriesByName(name);
    return series ? { action, series } : unknownSeriesMessage(name);
  }
  if (action !== "add-tags" && action !== "remove-tags") return { action };
  const checked = check(tags, form.get("tags") ?? "");
  if (!checked.ok) return firstMessage(checked);
  if (checked.value.length === 0) return "Enter at least one tag.";
  return { action, tags: action === "add-tags" ? resolveAliases(checked.value) : checked.value };
}

function readScheduling(form: FormData): BulkChange | string {
  const typed = (name: string) => String(form.get(name) ?? "");
  const read = readSchedule(
    { publishAt: typed("publishAt"), unpublishAt: typed("unpublishAt") },
    Date.now(),
  );
  if ("fields" in read) return Object.values(read.fields)[0] ?? "";
  const { publishAt, unpublishAt } = read.schedule;
  if (publishAt === null && unpublishAt === null)
    return "Enter a time to publish or hide the videos.";
  return { action: "schedule", schedule: read.schedule };
}

async function selectedIds(form: FormData, view: ManageView): Promise<string[] | string> {
  const ids = form.has("all")
    ? await findVideoIds(view, MAX_BULK_VIDEOS + 1)
    : [...new Set(form.getAll("selected").map(String))];
  if (ids.length === 0) return "Select at least one video.";
  return ids.length > MAX_BULK_VIDEOS ? TOO_MANY : ids;
}

const TOO_MANY = `You can change up to ${MAX_BULK_VIDEOS.toLocaleString("en")} videos at a time. Use filters to narrow down the list.`;

/** Returns the toast or failure to show for the result of a bulk action. */
function describeResult(change: BulkChange, result: BulkResult): FormFailure | ToastMessage {
  const { done, unchanged } = BULK_TEXTS[change.action];
  const messages = [
    result.done > 0 && done.replace("%", formatQuantity(result.done, "video")),
    result.unchanged > 0 && `${were(result.unchanged)} ${unchanged}.`,
    result.gone > 0 &&
      `${formatQuantity(result.gone, "video")} no longer ${result.gone === 1 ? "exists" : "exist"}.`,
    result.refused.length > 0 &&
      `${were(result.refused.length)} not changed because ${REFUSAL_REASONS[change.action] ?? ""}: ${nameTitles(result.refused)}.`,
    result.because,
    onHoldMessage(result),
    result.left && `${were(result.left.videos)} not processed. ${result.left.because}`,
  ].filter((message) => typeof message === "string");
  if (result.done === 0 && result.unchanged === 0) {
    return failure(result.refused.length > 0 ? 422 : 404, NOTHING_CHANGED, {
      detail: messages.join(" "),
    });
  }
  const title = change.action === "delete" ? "Videos Deleted" : "Videos Updated";
  return success(title, messages.join(" "));
}

function were(videos: number): string {
  return `${formatQuantity(videos, "video")} ${videos === 1 ? "was" : "were"}`;
}

/** The number of changes listed in a preview. */
const MAX_PREVIEW_ROWS = 10;
/** Form fields that are not parameters of the action. */
const FORM_FIELDS = ["intent", "do", "selected", "all", "preview"];

/**
 * Returns what a bulk action would change, without changing it.
 *
 * @param form the submitted form. Its fields are submitted again to perform the action.
 */
async function previewBulk(
  change: Exclude<BulkChange, Conversion | { action: "delete" }>,
  ids: readonly string[],
  form: FormData,
): Promise<BulkPreview> {
  const rows = selectVideos(ids);
  const order = new Map(ids.map((id, index) => [id, index]));
  rows.sort((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0));
  const { changed, ...skipped } =
    "series" in change ? previewSeries(change, rows) : previewColumns(change, rows);
  const fields = [...form].filter(([name]) => !FORM_FIELDS.includes(name));
  return {
    action: change.action,
    ids: [...ids],
    fields: fields.map(([name, value]) => [name, String(value)]),
    rows: changed.slice(0, MAX_PREVIEW_ROWS),
    changed: changed.length,
    unchanged: rows.length - changed.length - skipped.refused.length,
    gone: ids.length - rows.length,
    ...skipped,
  };
}

interface PreviewedRows extends Skipped {
  changed: BulkPreview["rows"];
}

function previewColumns(change: ColumnChange, rows: readonly SelectedVideo[]): PreviewedRows {
  const { changed, ...skipped } = planChange(change, rows);
  return {
    changed: changed.map(({ row, columns }) => ({
      id: row.id,
      title: row.title,
      before: described(change, row),
      after: described(change, { ...row, ...columns }),
    })),
    ...skipped,
  };
}

/** Returns the value that an action changes, as text. */
function described({ action }: ColumnChange, row: SelectedVideo): string {
  if (action === "category") return categoryLabel(row.category);
  if (action === "add-tags" || action === "remove-tags") return readTags(row.tags).join(", ");
  const isVisibility = action === "publish" || action === "hide";
  return [
    isVisibility && row.status,
    row.publish_at && `published at ${formatMinute(row.publish_at)}`,
    row.unpublish_at && `hidden at ${formatMinute(row.unpublish_at)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** Returns a time in UTC, because the server doesn't know the browser's time zone. */
function formatMinute(time: string): string {
  return `${time.slice(0, 16).replace("T", " ")} UTC`;
}

function previewSeries(
  { action, series }: Extract<BulkChange, { series: unknown }>,
  rows: readonly SelectedVideo[],
): PreviewedRows {
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
