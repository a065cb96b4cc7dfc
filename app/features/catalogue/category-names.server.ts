import {
  type CategoryName,
  DEFAULT_CATEGORIES,
  isCategoryId,
  nameCategories,
} from "~/shared/categories";
import { prepared } from "~db/client.server";
import { processState } from "~db/runtime.server";

/** Notes that this process has named them, which ends with the database that says how. */
const naming = processState(
  "category names",
  () => true,
  () => nameCategories(undefined),
);

/**
 * Names and orders the categories as the database says, for all that this process writes. A category
 * that it does not have keeps its label and comes last, as one that was added to the code since.
 *
 * @returns what pages must be told; undefined while they are called as in the code.
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
