import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { requireScriptUser } from "~/features/permissions/guard.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { answerUpload } from "../receive-upload.server";

/** Handles HEAD and OPTIONS requests for resumable uploads. */
export async function loader({ request }: LoaderFunctionArgs) {
  const user = await requireScriptUser(request, "/admin/uploads/:id?");
  return answerUpload(request, user);
}

/** Handles POST, PATCH and DELETE requests. */
export async function action({ request }: ActionFunctionArgs) {
  const user = await requireScriptUser(request, "/admin/uploads/:id?");
  requireOwnOrigin(request);
  return answerUpload(request, user);
}
