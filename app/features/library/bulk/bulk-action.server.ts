import { resolveAliases } from "~/features/catalogue/lists/tag-aliases.server";
import type { OwnVideos } from "~/features/permissions/own-videos";
import { changeableIds } from "~/features/permissions/own-videos.server";
import { isRefusal } from "~/features/permissions/refusal";
import { WITHOUT_FFMPEG } from "~/features/processing/queue/reasons";
import { readSchedule } from "~/features/visibility/schedule";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { failure } from "~/platform/failure";
import { formatQuantity, nameTitles } from "~/shared/format";
import { anyCategory, check, firstMessage, tags } from "~/shared/video-fields";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import type { ManageView } from "../list/manage-address";
import { idsOf } from "../list/managed-list.server";
import { refusalFailure, undoAction } from "../messages.server";
import type { FormFailure } from "../rejected-form";
import { addToSeries, removeFromSeries } from "../series/change-series.server";
import { namedSeries, noSeries } from "../series/series-list.server";
import {
  BULK_ACTIONS,
  type BulkChange,
  type BulkPreview,
  type BulkResult,
  type DeleteConfirmation,
  MAX_BULK_VIDEOS,
  REFUSED_BECAUSE,
} from "./bulk";
import { changeVideos, describeDeletion, existingIds } from "./bulk.server";
import { isConversion } from "./convert-videos.server";
import { previewBulk } from "./preview.server";

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

const OUTCOMES: Record<BulkChange["action"], [done: string, already: string]> = {
  publish: ["published", "published already"],
  hide: ["hidden", "hidden already"],
  category: ["moved to the category", "in the category already"],
  "add-tags": ["given the tags", "tagged so already"],
  "remove-tags": ["rid of the tags", "without the tags already"],
  "add-series": ["put into the series", "in the series already"],
  "remove-series": ["taken out of the series", "not in the series"],
  schedule: ["scheduled", "left as before"],
  unschedule: ["rid of the schedule", "without a schedule already"],
  "convert-again": ["put into the queue again", "waiting or being made already"],
  "convert-now": ["put first in the queue", "made already, or being made"],
  "convert-later": ["put last in the queue", "made already"],
  delete: ["deleted", ""],
};

/** What became of the videos, sentence by sentence. */
function describeResult(change: BulkChange, result: BulkResult): FormFailure | ToastMessage {
  const [done, already] = OUTCOMES[change.action];
  const sentences = [
    result.done > 0 && `${were(result.done)} ${done}.`,
    result.unchanged > 0 && `${were(result.unchanged)} ${already}.`,
    result.gone > 0 &&
      `${formatQuantity(result.gone, "video")} no longer ${result.gone === 1 ? "exists" : "exist"}.`,
    result.refused.length > 0 &&
      `${were(result.refused.length)} left alone, because ${REFUSED_BECAUSE[change.action] ?? ""}: ${nameTitles(result.refused)}.`,
    result.because,
    result.withheld,
    result.left && `${were(result.left.videos)} not processed. ${result.left.because}`,
  ].filter((sentence) => typeof sentence === "string");
  if (result.done === 0 && result.unchanged === 0) {
    return failure(result.refused.length > 0 ? 422 : 404, NOTHING_CHANGED, {
      detail: sentences.join(" "),
    });
  }
  return {
    title: change.action === "delete" ? "Videos Deleted" : "Videos Updated",
    description: sentences.join(" "),
    kind: "success",
  };
}

function were(videos: number): string {
  return `${formatQuantity(videos, "video")} ${videos === 1 ? "was" : "were"}`;
}
