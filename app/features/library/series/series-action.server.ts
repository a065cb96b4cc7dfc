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

const NOTHING = "The series was not changed.";
const ALL = { search: "", page: 1 };

/** The version of a series by a change of its order; undefined when nothing was changed. */
export interface NewVersion {
  version: number | undefined;
}

/**
 * Performs a form of the pages of series: `intent` is `create` or `restore` on the list, and `update`,
 * `delete`, `move` (to the number `to`, or `move` up or down) or `remove` on the page of one.
 *
 * @returns why not, or the redirect; to a form that was sent in the background, the version that it made.
 */
export async function performSeries(
  request: Request,
  view: SeriesView,
  userId: string,
): Promise<SeriesFailure | Response | NewVersion> {
  const form = await readFields(request, MAX_FORM_BYTES);
  return orFailure(() => perform(form, view, userId), {
    busy: NOTHING,
    failed: "Failed to change the series.",
  });
}

async function perform(
  form: FormData,
  view: SeriesView,
  userId: string,
): Promise<SeriesFailure | Response | NewVersion> {
  // The buttons that move by one have a name of their own.
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
        success("Series Deleted", `“${done.title}” was deleted. Its videos stay.`, {
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
      return "status" in done ? done : answerOf(form, view, done.version);
    }
    case "remove": {
      const done = await removeFromSeries(id, [videoId], userId);
      return "status" in done ? done : answerOf(form, view, done.version);
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
    return { ...failure(422, NOTHING, { detail }), typed, fields: { title: detail } };
  }
  const done = await createSeries(checked.value, slugOf(checked.value), userId);
  if ("status" in done) return { ...done, typed };
  const made = success("Series Made", "Now say who sees it, and add videos to it.");
  return redirectWithToast(oneSeriesHref(done.id), made);
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
  const titled = check(title, typed.title);
  const described = check(description, typed.description);
  if (!titled.ok || !described.ok) {
    const fields = {
      ...(!titled.ok && { title: firstMessage(titled) }),
      ...(!described.ok && { description: firstMessage(described) }),
    };
    const detail = Object.values(fields)[0];
    return { ...failure(422, NOTHING, { detail }), typed, version, fields };
  }
  const texts = {
    ...typed,
    title: titled.value,
    slug: slugOf(typed.slug) || slugOf(titled.value),
    description: described.value,
  };
  const done = await editSeries(id, version, texts, userId);
  if ("status" in done) return "typed" in done ? { ...done, typed } : done;
  return redirectWithToast(
    seriesHref(view),
    success("Series Updated", "The series has been saved."),
  );
}

async function restore(id: number, userId: string): Promise<SeriesFailure | Response> {
  const done = await restoreSeries(Number.isSafeInteger(id) ? id : 0, userId);
  if ("status" in done) return done;
  const back = success("Series Restored", `“${done.title}” is back, with its videos.`);
  return redirectWithToast(oneSeriesHref(done.id), back);
}

function readTarget(form: FormData): number | "up" | "down" | undefined {
  const move = form.get("move");
  if (move === "up" || move === "down") return move;
  const to = String(form.get("to") ?? "").trim();
  return /^\d{1,7}$/.test(to) ? Number(to) : undefined;
}

/** Who presses a button many times stays where they are. */
function answerOf(form: FormData, view: SeriesView, version?: number): Response | NewVersion {
  return form.has("background") ? { version } : redirect(seriesHref(view));
}
