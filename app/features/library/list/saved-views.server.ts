import { type Failure, failure } from "~/platform/failure";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { prepared, transaction } from "~db/client.server";
import {
  MAX_VIEW_NAME_LENGTH,
  type ManageView,
  manageHref,
  readManageView,
} from "./manage-address";

/** A URL of the list that a user has saved under a name. */
export interface SavedView {
  id: number;
  name: string;
  to: string;
}

/** Per user. */
const MAX_VIEWS = 20;

const NOT_SAVED = "Failed to save the view.";

/** Returns a user's saved views, sorted by name. */
export function savedViewsOf(userId: string): SavedView[] {
  const rows = prepared<{ id: number; name: string; parameters: string }>(
    "SELECT id, name, parameters FROM saved_views WHERE user_id = ? ORDER BY name",
  ).all(userId);
  return rows.map(({ id, name, parameters }) => ({
    id,
    name,
    // The parameters are parsed again, because the URL format may have changed in the meantime.
    to: manageHref(readManageView(new URLSearchParams(parameters))),
  }));
}

/**
 * Saves the first page of a view under a name. Replaces any view with the same name.
 *
 * @returns a failure with status 422 if the name is invalid or the user has too many views.
 */
export async function saveView(
  userId: string,
  typed: string,
  view: ManageView,
): Promise<Failure | ToastMessage> {
  const name = typed.normalize().trim().replace(/\s+/g, " ");
  if (name === "" || [...name].length > MAX_VIEW_NAME_LENGTH || /\p{Cc}/u.test(name)) {
    const detail = `Enter a name of 1 to ${MAX_VIEW_NAME_LENGTH} characters.`;
    return failure(422, NOT_SAVED, { detail });
  }
  const parameters = manageHref({ ...view, page: 1 }).split("?")[1] ?? "";
  return transaction((): Failure | ToastMessage => {
    const others = prepared<number>(
      "SELECT count(*) FROM saved_views WHERE user_id = ? AND name <> ?",
    ).pluck();
    if (others.get(userId, name)! >= MAX_VIEWS) {
      const detail = `You can save at most ${MAX_VIEWS} views. Remove one first.`;
      return failure(422, NOT_SAVED, { detail });
    }
    prepared(
      `INSERT INTO saved_views (user_id, name, parameters) VALUES (?, ?, ?)
       ON CONFLICT (user_id, name) DO UPDATE SET name = excluded.name, parameters = excluded.parameters`,
    ).run(userId, name, parameters);
    return success("View saved", `“${name}” was saved.`);
  });
}

/** Removes one of a user's saved views. The toast has an Undo button. */
export async function removeView(userId: string, id: number): Promise<Failure | ToastMessage> {
  const removed = await transaction(() =>
    prepared<{ name: string; parameters: string }>(
      "DELETE FROM saved_views WHERE user_id = ? AND id = ? RETURNING name, parameters",
    ).get(userId, id),
  );
  if (!removed)
    return failure(404, "Failed to remove the view.", { detail: "The view no longer exists." });
  const { name, parameters } = removed;
  return success("View removed", `“${name}” was removed.`, {
    label: "Undo",
    to: `/admin?${parameters}`,
    fields: { intent: "save-view", name },
  });
}
