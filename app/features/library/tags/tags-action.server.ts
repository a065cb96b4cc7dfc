import { setTimeout } from "node:timers/promises";
import { applyCategoryNames } from "~/features/catalogue/category-names.server";
import { changeAndRecord } from "~/platform/activity/activity.server";
import { type Failure, failure, INCOMPLETE } from "~/platform/failure";
import { orFailure } from "~/platform/or-failure.server";
import { readFields } from "~/platform/small-form.server";
import { type CategoryName, DEFAULT_CATEGORIES, shownCategories } from "~/shared/categories";
import { fold } from "~/shared/fold";
import { formatQuantity, nameTitles } from "~/shared/format";
import { check, firstMessage, tags as tagList } from "~/shared/video-fields";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { PUBLIC_CHANGE } from "~db/catalogue-version";
import { ensureProjected } from "~db/changes.server";
import { prepared } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import { setAliases } from "./set-aliases.server";
import { changeTags, type TagChangeEnd, undoTagChange } from "./tag-changes.server";
import type { CountedTag, TagsPage } from "./tag-list.server";
import { readTagsView, type TagsView, tagsHref } from "./tags-address";

const MAX_FORM_BYTES = 256 * 1024;
const MAX_TAGS_AT_ONCE = 1_000;
/** A change that takes longer continues in the background while the page shows its progress. */
const MAX_WAIT_MS = 2_000;

const NOT_CHANGED = "No tags were changed.";
const GONE = "No videos have this tag anymore. Someone may have changed it in the meantime.";

/** A failure, including the values entered in a tag's dialog. */
export interface TagsFailure extends Failure {
  typed?: { name?: string; aliases?: string };
}

/** Returns the data for the Tags page. */
export async function loadTags(view: TagsView, tag?: string): Promise<TagsPage> {
  await ensureProjected();
  return queryThread<TagsPage>("studio", "tags", { ...view, tag });
}

/**
 * Handles a form on the Tags page. `intent` is `merge` (into `name`) or `delete` for the tags in `selected`, `aliases`
 * for one tag, `undo` for a `change`, or `categories`.
 */
export async function performTags(
  request: Request,
  userId: string,
): Promise<TagsFailure | CategoriesFailure | ToastMessage> {
  const form = await readFields(request, MAX_FORM_BYTES);
  const view = readTagsView(new URL(request.url).searchParams);
  return orFailure(() => perform(form, view, userId), {
    busy: NOT_CHANGED,
    failed: "Failed to update tags.",
  });
}

async function perform(
  form: FormData,
  view: TagsView,
  userId: string,
): Promise<TagsFailure | CategoriesFailure | ToastMessage> {
  const intent = form.get("intent");
  if (intent === "categories") return saveCategories(form, userId);
  if (intent === "undo") return undo(Number(form.get("change")), userId);
  const selected = [...new Set(form.getAll("selected").map((each) => fold(String(each).trim())))];
  if (intent === "aliases")
    return changeAliases(selected[0], String(form.get("aliases") ?? ""), userId);
  if (intent !== "merge" && intent !== "delete") {
    return INCOMPLETE;
  }
  if (selected.length === 0)
    return failure(422, NOT_CHANGED, { detail: "Select at least one tag." });
  if (selected.length > MAX_TAGS_AT_ONCE)
    return failure(422, NOT_CHANGED, {
      detail: `Select at most ${MAX_TAGS_AT_ONCE.toLocaleString("en")} tags.`,
    });
  const typed = String(form.get("name") ?? "");
  const target = intent === "delete" ? { name: null } : readName(typed);
  if ("error" in target)
    return { ...failure(422, NOT_CHANGED, { detail: target.error }), typed: { name: typed } };
  const found = await Promise.all(selected.map(countedTag));
  const tags = found.filter((each) => each !== undefined);
  const change = { tags, target: target.name, keepsAsAliases: form.has("keep") };
  const started = tags.length > 0 ? await changeTags(change, userId) : undefined;
  if (!started) return failure(404, NOT_CHANGED, { detail: GONE });
  const names = nameTitles(tags.map(({ name }) => name));
  const summary =
    target.name === null ? `Removed ${names} from` : `Changed ${names} to “${target.name}” in`;
  return {
    ...(await describe(summary, started.end)),
    action: {
      label: "Undo",
      to: tagsHref(view),
      fields: { intent: "undo", change: String(started.id) },
    },
  };
}

/** Parses a single tag, using the rules for the upload form. */
function readName(typed: string): { name: string } | { error: string } {
  const checked = check(tagList, typed);
  if (!checked.ok) return { error: firstMessage(checked) };
  const [name, ...others] = checked.value;
  if (name === undefined) return { error: "Enter a tag name." };
  return others.length > 0 ? { error: "A tag can’t contain a comma." } : { name };
}

async function countedTag(tag: string): Promise<CountedTag | undefined> {
  const view: TagsView = { search: "", sort: "videos", page: 1 };
  return (await loadTags(view, tag)).requested ?? undefined;
}

async function changeAliases(
  tag: string | undefined,
  text: string,
  userId: string,
): Promise<TagsFailure | ToastMessage> {
  const counted = tag === undefined ? undefined : await countedTag(tag);
  if (!counted) return failure(404, NOT_CHANGED, { detail: GONE });
  const isUsed = async (alias: string) => (await countedTag(alias)) !== undefined;
  const error = await setAliases(counted, text, isUsed, userId);
  if (error) return { ...failure(422, NOT_CHANGED, { detail: error }), typed: { aliases: text } };
  return success("Tags updated", `The aliases of “${counted.name}” were saved.`);
}

async function undo(id: number, userId: string): Promise<TagsFailure | ToastMessage> {
  const started = Number.isSafeInteger(id) ? await undoTagChange(id, userId) : undefined;
  if (!started) {
    return failure(404, "This change can't be undone.", {
      detail: "It was already undone, is still running, or is older than 30 days.",
    });
  }
  return describe("Undid the change in", started.end);
}

/** Returns the toast for a change. If the change takes too long, the toast says that it is still running. */
async function describe(summary: string, end: Promise<TagChangeEnd>): Promise<ToastMessage> {
  // Logs failures that happen after this function has stopped waiting.
  end.catch((error) => console.error("A tag change failed:", error));
  const ended = await Promise.race([end, setTimeout(MAX_WAIT_MS, undefined, { ref: false })]);
  const messages = ended
    ? [
        `${summary} ${formatQuantity(ended.videos, "video")}.`,
        ended.left > 0 &&
          `Skipped ${formatQuantity(ended.left, "video")} whose tags have changed in the meantime.`,
      ]
    : ["The change is still running. Its progress is shown under Recent changes."];
  return success("Tags updated", messages.filter(Boolean).join(" "));
}

const MAX_LABEL_LENGTH = 40;
/** The other options in the category selector. A category can't have one of these names. */
const RESERVED_LABELS = ["All Videos", "Trending"];

/** A rejected categories form, including the entered labels and the errors. */
export interface CategoriesFailure extends Failure {
  labels: Record<string, string>;
  errors: Record<string, string>;
}

/**
 * Saves the category labels from the `label.{id}` fields. `move`, such as `desi:up`, swaps a category with its
 * neighbor. `reset` restores the default labels and order.
 */
async function saveCategories(
  form: FormData,
  userId: string,
): Promise<CategoriesFailure | ToastMessage> {
  applyCategoryNames();
  const labels = Object.fromEntries(
    shownCategories().map(({ id, label }) => [id, oneLine(form.get(`label.${id}`) ?? label)]),
  );
  const isReset = form.has("reset");
  const errors = isReset ? {} : checkLabels(labels);
  if (Object.keys(errors).length > 0) {
    const detail = Object.values(errors)[0];
    return { ...failure(422, "Failed to update the categories.", { detail }), labels, errors };
  }
  const typed = shownCategories().map(({ id, label }) => ({ id, label: labels[id] ?? label }));
  const names = isReset ? [] : moved(typed, String(form.get("move") ?? ""));
  const shown = isReset ? DEFAULT_CATEGORIES : names;
  const detail = shown.map(({ label }) => label).join(", ");
  await changeAndRecord({ userId, action: "categories", detail }, () => {
    prepared("DELETE FROM category_names").run();
    const insert = prepared("INSERT INTO category_names (id, label, position) VALUES (?, ?, ?)");
    for (const [position, { id, label }] of names.entries()) insert.run(id, label, position);
    prepared("UPDATE catalogue_version SET catalogue = catalogue + ?").run(PUBLIC_CHANGE);
  });
  applyCategoryNames();
  return success(
    "Categories updated",
    isReset ? "Categories were reset to their defaults." : "Categories were saved.",
  );
}

function oneLine(value: FormDataEntryValue): string {
  return String(value)
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
}

function checkLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  const errors: Record<string, string> = {};
  const seen = new Set(RESERVED_LABELS.map(fold));
  for (const [id, label] of Object.entries(labels)) {
    if (label === "") errors[id] = "Enter a name.";
    else if (label.length > MAX_LABEL_LENGTH) {
      errors[id] = `A name can have at most ${MAX_LABEL_LENGTH} characters.`;
    } else if (seen.has(fold(label))) errors[id] = "This name is already in use.";
    seen.add(fold(label));
  }
  return errors;
}

/**
 * Returns the categories after swapping one of them with its neighbor. The order is unchanged if there is no neighbor
 * in that direction.
 */
function moved(names: readonly CategoryName[], move: string): CategoryName[] {
  const [id, direction] = move.split(":");
  const from = names.findIndex((each) => each.id === id);
  const to = from + (direction === "up" ? -1 : 1);
  const [one, other] = [names[from], names[to]];
  const result = [...names];
  if (!one || !other || (direction !== "up" && direction !== "down")) return result;
  result[from] = other;
  result[to] = one;
  return result;
}
