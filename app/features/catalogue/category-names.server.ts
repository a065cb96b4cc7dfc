import {
  type CategoryName,
  DEFAULT_CATEGORIES,
  isCategoryId,
  nameCategories,
} from "~/shared/categories";
import { prepared } from "~db/client.server";
import { processState } from "~db/runtime.server";

/** Resets the names when this process closes its database. */
const naming = processState(
  "category names",
  () => true,
  () => nameCategories(undefined),
);

/**
 * Applies the category names and their order from the database to this process. Categories that aren't in the database,
 * because they were added to the code later, keep their default labels and come last.
 *
 * @returns the names to pass to pages; undefined while the defaults apply.
 */
export function applyCategoryNames(): CategoryName[] | undefined {
  const rows = prepared<{
    id: string;
    label: string;
  }>("SELECT id, label FROM category_names ORDER BY position, id").all();
  const named = rows.flatMap(({ id, label }) => (isCategoryId(id) ? [{ id, label }] : []));
  if (named.length === 0) {
    nameCategories(undefined);
    return undefined;
  }
  naming();
  const others = DEFAULT_CATEGORIES.filter(({ id }) => !named.some((each) => each.id === id));
  const names = [...named, ...others];
  nameCategories(names);
  return names;
}
