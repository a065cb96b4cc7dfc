import { redirect } from "@remix-run/node";
import { failure, INCOMPLETE } from "~/platform/failure";
import { orFailure } from "~/platform/or-failure.server";
import { readFields } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { slugOf } from "~/shared/series/slug";
import { check, description, firstMessage, title } from "~/shared/video-fields";
import { success } from "~/ui/feedback/toast-message";
import {
  createSeries,
  deleteSeries,
  editSeries,
  moveInSeries,
  removeFromSeries,
  restoreSeries,
  type SeriesFailure,
  type SeriesTexts,
} from "./change-series.server";
import { oneSeriesHref, type SeriesView, seriesHref } from "./series-address";

const MAX_FORM_BYTES = 64 * 1024;

const FAILED = "Failed to update the series.";
const ALL = { search: "", page: 1 };

/** The version of a series after its order was changed; undefined if nothing changed. */
export interface NewVersion {
  version: number | undefined;
}

/**
 * Handles a form on the series pages. On the list, `intent` is `create` or `restore`. On a series' page, it is
 * `update`, `delete`, `remove` or `move`. A move is either to the number in the `to` field, or by one position if the
 * `move` field is `up` or `down`.
 *
 * @returns a failure or a redirect. The response to a form that was submitted in the background is the new version
 * instead of a redirect.
 */
export async function performSeries(
  request: Request,
  view: SeriesView,
  userId: string,
): Promise<SeriesFailure | Response | NewVersion> {
  const form = await readFields(request, MAX_FORM_BYTES);
  return orFailure(() => perform(form, view, userId), {
    busy: FAILED,
    failed: "Failed to update the series.",
  });
}

async function perform(
  form: FormData,
  view: SeriesView,
  userId: string,
): Promise<SeriesFailure | Response | NewVersion> {
  // The buttons that move a video by one position are named `move`.
  const intent = form.get("intent") ?? (form.has("move") ? "move" : null);
  const id = view.id;
  if (intent === "create") return create(form, userId);
  if (intent === "restore") return restore(Number(form.get("series")), userId);
  if (id === undefined) return INCOMPLETE;
  const videoId = String(form.get("video") ?? "");
  switch (intent) {
    case "update":
      return update(id, form, view, userId);
    case "delete": {
      const done = await deleteSeries(id, userId);
      if ("status" in done) return done;
      const undo = { intent: "restore", series: String(id) };
      return redirectWithToast(
        seriesHref(ALL),
        success("Series deleted", `“${done.title}” was deleted. Its videos were kept.`, {
          label: "Undo",
          to: seriesHref(ALL),
          fields: undo,
        }),
      );
    }
    case "move": {
      const to = readTarget(form);
      if (to === undefined || videoId === "") return INCOMPLETE;
      const done = await moveInSeries(id, Number(form.get("version")), videoId, to, userId);
      return "status" in done ? done : moveResponse(form, view, done.version);
    }
    case "remove": {
      const done = await removeFromSeries(id, [videoId], userId);
      return "status" in done ? done : moveResponse(form, view, done.version);
    }
    default:
      return INCOMPLETE;
  }
}

async function create(form: FormData, userId: string): Promise<SeriesFailure | Response> {
  const typed = { ...EMPTY, title: String(form.get("title") ?? "") };
  const checked = check(title, typed.title);
  if (!checked.ok) {
    const detail = firstMessage(checked);
    return { ...failure(422, FAILED, { detail }), typed, fields: { title: detail } };
  }
  const done = await createSeries(checked.value, slugOf(checked.value), userId);
  if ("status" in done) return { ...done, typed };
  const toast = success("Series created", "Choose who can see the series, and add videos to it.");
  return redirectWithToast(oneSeriesHref(done.id), toast);
}

const EMPTY: SeriesTexts = {
  title: "",
  slug: "",
  description: "",
  visibility: "studio",
  isFeatured: false,
};

async function update(
  id: number,
  form: FormData,
  view: SeriesView,
  userId: string,
): Promise<SeriesFailure | Response> {
  const text = (name: string) => String(form.get(name) ?? "");
  const typed: SeriesTexts = {
    title: text("title"),
    slug: text("slug"),
    description: text("description"),
    visibility: form.get("visibility") === "public" ? "public" : "studio",
    isFeatured: form.has("featured"),
  };
  const version = text("version");
  const checkedTitle = check(title, typed.title);
  const checkedDescription = check(description, typed.description);
  if (!checkedTitle.ok || !checkedDescription.ok) {
    const fields = {
      ...(!checkedTitle.ok && { title: firstMessage(checkedTitle) }),
      ...(!checkedDescription.ok && { description: firstMessage(checkedDescription) }),
    };
    const detail = Object.values(fields)[0];
    return { ...failure(422, FAILED, { detail }), typed, version, fields };
  }
  const texts = {
    ...typed,
    title: checkedTitle.value,
    slug: slugOf(typed.slug) || slugOf(checkedTitle.value),
    description: checkedDescription.value,
  };
  const done = await editSeries(id, version, texts, userId);
  if ("status" in done) return "typed" in done ? { ...done, typed } : done;
  return redirectWithToast(seriesHref(view), success("Series updated", "Your changes were saved."));
}

async function restore(id: number, userId: string): Promise<SeriesFailure | Response> {
  const done = await restoreSeries(Number.isSafeInteger(id) ? id : 0, userId);
  if ("status" in done) return done;
  const toast = success("Series restored", `“${done.title}” and its videos were restored.`);
  return redirectWithToast(oneSeriesHref(done.id), toast);
}

function readTarget(form: FormData): number | "up" | "down" | undefined {
  const move = form.get("move");
  if (move === "up" || move === "down") return move;
  const to = String(form.get("to") ?? "").trim();
  return /^\d{1,7}$/.test(to) ? Number(to) : undefined;
}

/** Responds to a change to the order. Background requests aren't redirected, so that the page doesn't change. */
function moveResponse(form: FormData, view: SeriesView, version?: number): Response | NewVersion {
  return form.has("background") ? { version } : redirect(seriesHref(view));
}
