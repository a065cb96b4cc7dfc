import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { answerTus } from "~/media/intake/tus.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { admissionOf } from "../admission.server";
import { tusSender } from "../tus-sender";
import { requireUploader } from "../upload-action.server";

/** Resumable uploads: HEAD and OPTIONS. */
export async function loader({ request }: LoaderFunctionArgs) {
  const user = await requireUploader(request, "/admin/uploads/:id?");
  return answerTus(request, tusSender(user), admissionOf(user.id));
}

/** POST, PATCH and DELETE. */
export async function action({ request }: ActionFunctionArgs) {
  const user = await requireUploader(request, "/admin/uploads/:id?");
  requireOwnOrigin(request);
  return answerTus(request, tusSender(user), admissionOf(user.id));
}
