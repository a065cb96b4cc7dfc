import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { requireScriptUser } from "~/features/permissions/guard.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { answerUpload } from "../receive-upload.server";

/** Resumable uploads: HEAD and OPTIONS. */
export async function loader({ request }: LoaderFunctionArgs) {
  const user = await requireScriptUser(request, "/admin/uploads/:id?");
  return answerUpload(request, user);
}

/** POST, PATCH and DELETE. */
export async function action({ request }: ActionFunctionArgs) {
  const user = await requireScriptUser(request, "/admin/uploads/:id?");
  requireOwnOrigin(request);
  return answerUpload(request, user);
}
