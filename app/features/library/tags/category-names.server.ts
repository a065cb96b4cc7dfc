import { applyCategoryNames } from "~/features/catalogue/lists/category-names.server";
import { changeAndRecord } from "~/platform/activity/activity.server";
import { type Failure, failure } from "~/platform/failure";
import { type CategoryName, DEFAULT_CATEGORIES, shownCategories } from "~/shared/categories";
import { fold } from "~/shared/fold";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { PUBLIC_CHANGE } from "~db/catalogue-version";
import { prepared } from "~db/client.server";

const MAX_LABEL_LETTERS = 40;
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
export async function saveCategories(
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
  return {
    title: "Categories Updated",
    description: isReset
      ? "The categories are as they were at first."
      : "The categories have been saved.",
    kind: "success",
  };
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
    else if (label.length > MAX_LABEL_LETTERS) {
      wrong[id] = `A label has at most ${MAX_LABEL_LETTERS} characters.`;
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
