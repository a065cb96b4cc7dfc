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
/** A change that takes longer goes on while the page shows how far it is. */
const WAITED_FOR_MS = 2_000;

const NOTHING = "No tag was changed.";
const GONE = "No video has this tag any more. Somebody may have changed it in the meantime.";

/** A failure, with what was typed in the dialog of a tag. */
export interface TagsFailure extends Failure {
  typed?: { name?: string; aliases?: string };
}

/** The data of the page of tags for its address. */
export async function loadTags(view: TagsView, tag?: string): Promise<TagsPage> {
  await ensureProjected();
  return queryThread<TagsPage>("studio", "tags", { ...view, tag });
}

/**
 * Performs a form of the page of tags: `intent` is `merge` (into `name`) or `delete` for the tags in
 * `selected`, `aliases` for one of them, `undo` for a `change`, or `categories`.
 */
export async function performTags(
  request: Request,
  userId: string,
): Promise<TagsFailure | CategoriesFailure | ToastMessage> {
  const form = await readFields(request, MAX_FORM_BYTES);
  const view = readTagsView(new URL(request.url).searchParams);
  return orFailure(() => perform(form, view, userId), {
    busy: NOTHING,
    failed: "Failed to change tags.",
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
  if (selected.length === 0) return failure(422, NOTHING, { detail: "Select at least one tag." });
  if (selected.length > MAX_TAGS_AT_ONCE)
    return failure(422, NOTHING, { detail: "Select fewer tags." });
  const typed = String(form.get("name") ?? "");
  const target = intent === "delete" ? { name: null } : readName(typed);
  if ("wrong" in target)
    return { ...failure(422, NOTHING, { detail: target.wrong }), typed: { name: typed } };
  const found = await Promise.all(selected.map(countedTag));
  const tags = found.filter((each) => each !== undefined);
  const change = { tags, target: target.name, keepsNames: form.has("keep") };
  const begun = tags.length > 0 ? await changeTags(change, userId) : undefined;
  if (!begun) return failure(404, NOTHING, { detail: GONE });
  const names = nameTitles(tags.map(({ name }) => name));
  const what = target.name === null ? `Without ${names}` : `${names} → “${target.name}”`;
  return {
    ...(await describe(what, begun.end)),
    action: {
      label: "Undo",
      to: tagsHref(view),
      fields: { intent: "undo", change: String(begun.id) },
    },
  };
}

/** One tag as the upload form takes it. */
function readName(typed: string): { name: string } | { wrong: string } {
  const checked = check(tagList, typed);
  if (!checked.ok) return { wrong: firstMessage(checked) };
  const [name, ...others] = checked.value;
  if (name === undefined) return { wrong: "Write the tag that they become." };
  return others.length > 0 ? { wrong: "A tag has no comma." } : { name };
}

async function countedTag(tag: string): Promise<CountedTag | undefined> {
  const view: TagsView = { search: "", sort: "videos", page: 1 };
  return (await loadTags(view, tag)).asked ?? undefined;
}

async function changeAliases(
  tag: string | undefined,
  text: string,
  userId: string,
): Promise<TagsFailure | ToastMessage> {
  const counted = tag === undefined ? undefined : await countedTag(tag);
  if (!counted) return failure(404, NOTHING, { detail: GONE });
  const isUsed = async (alias: string) => (await countedTag(alias)) !== undefined;
  const wrong = await setAliases(counted, text, isUsed, userId);
  if (wrong) return { ...failure(422, NOTHING, { detail: wrong }), typed: { aliases: text } };
  return success("Tags Updated", `The other names of “${counted.name}” have been saved.`);
}

async function undo(id: number, userId: string): Promise<TagsFailure | ToastMessage> {
  const begun = Number.isSafeInteger(id) ? await undoTagChange(id, userId) : undefined;
  if (!begun) {
    return failure(404, "This change can't be undone.", {
      detail: "It was undone before, is still under way, or is older than 30 days.",
    });
  }
  return describe("Undone", begun.end);
}

/** What is said of a change, or of its beginning when it takes longer. */
async function describe(what: string, end: Promise<TagChangeEnd>): Promise<ToastMessage> {
  // Whoever waits no longer must not leave its failure without anybody to hear it.
  end.catch((error) => console.error("A change of tags failed:", error));
  const ended = await Promise.race([end, setTimeout(WAITED_FOR_MS, undefined, { ref: false })]);
  const messages = ended
    ? [
        `${what}: ${formatQuantity(ended.videos, "video")}.`,
        ended.left > 0 &&
          `${formatQuantity(ended.left, "video")} had been changed since, and stayed as before.`,
      ]
    : [`${what}: this goes on. The page shows how far it is.`];
  return success("Tags Updated", messages.filter(Boolean).join(" "));
}

const MAX_LABEL_LENGTH = 40;
/** Choices beside the categories, which need labels of their own. */
const OTHER_CHOICES = ["All Videos", "Trending"];

/** A form of the categories that was rejected, with what was typed. */
export interface CategoriesFailure extends Failure {
  labels: Record<string, string>;
  wrong: Record<string, string>;
}

/**
 * Saves the labels of the categories from the fields `label.{id}`; `move` names one that changes places
 * with its neighbour, as `desi:up`; `reset` brings everything back to what the code has.
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
  const wrong = isReset ? {} : checkLabels(labels);
  if (Object.keys(wrong).length > 0) {
    const detail = Object.values(wrong)[0];
    return { ...failure(422, "The categories were not changed.", { detail }), labels, wrong };
  }
  const typed = shownCategories().map(({ id, label }) => ({ id, label: labels[id] ?? label }));
  const names = isReset ? [] : moved(typed, String(form.get("move") ?? ""));
  const shown = isReset ? DEFAULT_CATEGORIES : names;
  const detail = shown.map(({ label }) => label).join(", ");
  await changeAndRecord({ userId, action: "categories", detail }, () => {
    prepared("DELETE FROM category_names").run();
    const enter = prepared("INSERT INTO category_names (id, label, position) VALUES (?, ?, ?)");
    for (const [position, { id, label }] of names.entries()) enter.run(id, label, position);
    prepared("UPDATE catalogue_version SET catalogue = catalogue + ?").run(PUBLIC_CHANGE);
  });
  applyCategoryNames();
  return success(
    "Categories Updated",
    isReset ? "The categories are as they were at first." : "The categories have been saved.",
  );
}

function oneLine(value: FormDataEntryValue): string {
  return String(value)
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
}

function checkLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  const wrong: Record<string, string> = {};
  const seen = new Set(OTHER_CHOICES.map(fold));
  for (const [id, label] of Object.entries(labels)) {
    if (label === "") wrong[id] = "A label is needed.";
    else if (label.length > MAX_LABEL_LENGTH) {
      wrong[id] = `A label has at most ${MAX_LABEL_LENGTH} characters.`;
    } else if (seen.has(fold(label))) wrong[id] = "There is this label already.";
    seen.add(fold(label));
  }
  return wrong;
}

/** With one of them before or after its neighbour; at the end there is none, and nothing moves. */
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
