import { type Failure, failure } from "~/platform/failure";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { prepared, transaction } from "~db/client.server";
import {
  MAX_VIEW_NAME_LENGTH,
  type ManageView,
  manageHref,
  readManageView,
} from "./manage-address";

/** An address of the list that a user has named. */
export interface SavedView {
  id: number;
  name: string;
  to: string;
}

/** Of one user. */
const MAX_VIEWS = 20;

const NOT_SAVED = "The view was not saved.";

/** The views that a user has named, by name. */
export function savedViewsOf(userId: string): SavedView[] {
  const rows = prepared<{ id: number; name: string; parameters: string }>(
    "SELECT id, name, parameters FROM saved_views WHERE user_id = ? ORDER BY name",
  ).all(userId);
  return rows.map(({ id, name, parameters }) => ({
    id,
    name,
    // Read anew: what an address means may have changed since.
    to: manageHref(readManageView(new URLSearchParams(parameters))),
  }));
}

/**
 * Names a view, from its first page on. One of that name is replaced.
 *
 * @returns a failure of 422 for the name, or for too many.
 */
export async function saveView(
  userId: string,
  typed: string,
  view: ManageView,
): Promise<Failure | ToastMessage> {
  const name = typed.normalize().trim().replace(/\s+/g, " ");
  if (name === "" || [...name].length > MAX_VIEW_NAME_LENGTH || /\p{Cc}/u.test(name)) {
    const detail = `A name has 1 to ${MAX_VIEW_NAME_LENGTH} characters.`;
    return failure(422, NOT_SAVED, { detail });
  }
  const parameters = manageHref({ ...view, page: 1 }).split("?")[1] ?? "";
  return transaction((): Failure | ToastMessage => {
    const others = prepared<number>(
      "SELECT count(*) FROM saved_views WHERE user_id = ? AND name <> ?",
    ).pluck();
    if (others.get(userId, name)! >= MAX_VIEWS) {
      const detail = `There are at most ${MAX_VIEWS}. Remove one first.`;
      return failure(422, NOT_SAVED, { detail });
    }
    prepared(
      `INSERT INTO saved_views (user_id, name, parameters) VALUES (?, ?, ?)
       ON CONFLICT (user_id, name) DO UPDATE SET name = excluded.name, parameters = excluded.parameters`,
    ).run(userId, name, parameters);
    return success("View Saved", `“${name}” stands above the list.`);
  });
}

/** Removes a view of a user; the toast can name it again. */
export async function removeView(userId: string, id: number): Promise<Failure | ToastMessage> {
  const removed = await transaction(() =>
    prepared<{ name: string; parameters: string }>(
      "DELETE FROM saved_views WHERE user_id = ? AND id = ? RETURNING name, parameters",
    ).get(userId, id),
  );
  if (!removed)
    return failure(404, "The view was not removed.", { detail: "It no longer exists." });
  const { name, parameters } = removed;
  return success("View Removed", `“${name}” was removed.`, {
    label: "Undo",
    to: `/admin?${parameters}`,
    fields: { intent: "save-view", name },
  });
}
