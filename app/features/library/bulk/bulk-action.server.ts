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
import { idsOf } from "../list/managed-list.server";
import type { FormFailure } from "../managed-video";
import { refusalFailure } from "../refusals.server";
import { addToSeries, removeFromSeries } from "../series/change-series.server";
import { namedSeries, noSeries } from "../series/series-list.server";
import {
  BULK_ACTIONS,
  BULK_WORDS,
  type BulkChange,
  type BulkPreview,
  type BulkResult,
  type DeleteConfirmation,
  MAX_BULK_VIDEOS,
  onHoldMessage,
  REFUSED_BECAUSE,
  type Skipped,
} from "./bulk";
import { changeVideos, describeDeletion, existingIds, selectVideos } from "./bulk.server";
import {
  type ColumnChange,
  type Conversion,
  isConversion,
  planned,
  type SelectedVideo,
} from "./planned.server";

const NOTHING_CHANGED = "No video was changed.";

/**
 * Performs the bulk form: `do` names the action, `selected` the videos, or `all` every video of the
 * list that the form was sent from. Deleting needs a confirmation first; with `preview`, any change is
 * told before it is done.
 *
 * @param own whose videos can be changed alone.
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
  const chosen = await chosenIds(form, view);
  if (typeof chosen === "string") return failure(422, NOTHING_CHANGED, { detail: chosen });
  const ids = changeableIds(own, chosen);
  if (isRefusal(ids)) return refusalFailure(ids, NOTHING_CHANGED);
  if (change.action === "delete" && !form.has("confirmed")) {
    return { confirmation: await describeDeletion(ids) };
  }
  const isShownFirst = form.has("preview") && !form.has("confirmed");
  if (isShownFirst && change.action !== "delete" && !isConversion(change)) {
    return { preview: await previewBulk(change, ids, form) };
  }
  const result =
    "series" in change
      ? await changeSeries(change, ids, userId)
      : await changeVideos(change, ids, userId);
  if (isRefusal(result)) return refusalFailure(result, NOTHING_CHANGED);
  if ("status" in result) return result;
  const answer = describeResult(change, result);
  if ("status" in answer || !result.batch) return answer;
  return { ...answer, action: undoAction(result.batch, view) };
}

/** The Undo of a toast about a deletion; it leads back to the list that was deleted from. */
export function undoAction(batch: string, view: ManageView): ToastMessage["action"] {
  return { label: "Undo", to: manageHref(view), fields: { intent: "restore", batch } };
}

async function changeSeries(
  { action, series }: Extract<BulkChange, { series: unknown }>,
  ids: readonly string[],
  userId: string,
): Promise<BulkResult | FormFailure> {
  const isAdding = action === "add-series";
  const answer = await (isAdding ? addToSeries : removeFromSeries)(series.id, ids, userId);
  if ("status" in answer) return answer;
  const there = existingIds(ids).length;
  const done = answer.changed.length;
  return { done, unchanged: there - done, gone: ids.length - there, refused: [] };
}

/** The change that the form requests, or a sentence that says what is missing. */
function readChange(form: FormData): BulkChange | string {
  const action = BULK_ACTIONS.find((each) => each === form.get("do"));
  if (!action) return "Choose what to do with the videos.";
  if (action === "category") {
    const category = check(anyCategory, form.get("category"));
    return category.ok ? { action, category: category.value } : firstMessage(category);
  }
  if (action === "schedule") return readScheduling(form);
  if (action.startsWith("convert-") && !ffmpegAvailable()) return WITHOUT_FFMPEG;
  if (action === "add-series" || action === "remove-series") {
    const name = String(form.get("series") ?? "").trim();
    if (name === "") return "Write the title of a series.";
    const series = namedSeries(name);
    return series ? { action, series } : noSeries(name);
  }
  if (action !== "add-tags" && action !== "remove-tags") return { action };
  const checked = check(tags, form.get("tags") ?? "");
  if (!checked.ok) return firstMessage(checked);
  if (checked.value.length === 0) return "Write at least one tag.";
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
  if (publishAt === null && unpublishAt === null) return "Choose a time to publish or hide at.";
  return { action: "schedule", schedule: read.schedule };
}

async function chosenIds(form: FormData, view: ManageView): Promise<string[] | string> {
  const ids = form.has("all")
    ? await idsOf(view, MAX_BULK_VIDEOS + 1)
    : [...new Set(form.getAll("selected").map(String))];
  if (ids.length === 0) return "Select at least one video.";
  return ids.length > MAX_BULK_VIDEOS ? TOO_MANY : ids;
}

const TOO_MANY = `At most ${MAX_BULK_VIDEOS.toLocaleString("en")} videos can be changed at once. Narrow the list by a filter.`;

/** What became of the videos, sentence by sentence. */
function describeResult(change: BulkChange, result: BulkResult): FormFailure | ToastMessage {
  const [, , done, already] = BULK_WORDS[change.action];
  const messages = [
    result.done > 0 && `${were(result.done)} ${done}.`,
    result.unchanged > 0 && `${were(result.unchanged)} ${already}.`,
    result.gone > 0 &&
      `${formatQuantity(result.gone, "video")} no longer ${result.gone === 1 ? "exists" : "exist"}.`,
    result.refused.length > 0 &&
      `${were(result.refused.length)} left alone, because ${REFUSED_BECAUSE[change.action] ?? ""}: ${nameTitles(result.refused)}.`,
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

/** Videos whose change is shown one by one. */
const ROWS_SHOWN = 10;
/** Fields of the form that are not those of the change. */
const OWN_FIELDS = ["intent", "do", "selected", "all", "preview"];

/**
 * What a change would do to videos, without doing it.
 *
 * @param form what was sent: its fields are sent again to do it.
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
    "series" in change ? inSeries(change, rows) : inRows(change, rows);
  const fields = [...form].filter(([name]) => !OWN_FIELDS.includes(name));
  return {
    action: change.action,
    ids: [...ids],
    fields: fields.map(([name, value]) => [name, String(value)]),
    rows: changed.slice(0, ROWS_SHOWN),
    changed: changed.length,
    unchanged: rows.length - changed.length - skipped.refused.length,
    gone: ids.length - rows.length,
    ...skipped,
  };
}

interface Shown extends Skipped {
  changed: BulkPreview["rows"];
}

function inRows(change: ColumnChange, rows: readonly SelectedVideo[]): Shown {
  const { changed, ...skipped } = planned(change, rows);
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
