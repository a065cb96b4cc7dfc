import { type ActionFunctionArgs, json } from "@remix-run/node";
import { requireScriptUser } from "~/features/permissions/guard.server";
import { ownVideosOf } from "~/features/permissions/permissions";
import { requireOwnOrigin } from "~/platform/origin.server";
import { retryAfter } from "~/platform/retry-after.server";
import { receiveUpload } from "../receive-upload.server";

/** Receives the upload form from the queue. The fields are the same as without JavaScript, but the response is JSON. */
export async function action({ request }: ActionFunctionArgs) {
  const user = await requireScriptUser(request, "/admin/publish");
  requireOwnOrigin(request);
  const outcome = await receiveUpload(request, user.id, ownVideosOf(user, "/admin/publish"));
  if (outcome.ok) return json(outcome, { status: 201 });
  const { status, retryAfterSeconds } = outcome;
  return json(outcome, { status, headers: retryAfter(retryAfterSeconds) });
}
