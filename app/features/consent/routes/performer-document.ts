import type { ActionFunctionArgs } from "@remix-run/node";
import { requirePermission } from "~/features/permissions/guard.server";
import { unlessBusy } from "~/platform/busy.server";
import { failure } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { redirectWithToast } from "~/platform/toast.server";
import { openDocument } from "../documents.server";

const WHY = {
  gone: "This document was already deleted.",
  locked:
    "This document can’t be read because the secret that encrypted it is missing. Nothing is lost: restore the secret.",
  away: "This document can’t be read right now because the file store isn’t responding or the disk is full. Try again later.",
  damaged: "This document’s file is damaged or missing. Restore it from a backup.",
} as const;

/** Sends a decrypted document to an owner. Only accepts POST requests, so that no link can open a document. */
export async function action({ request, params }: ActionFunctionArgs) {
  const user = await requirePermission(request, "/admin/consent/:id/documents/:document");
  requireOwnOrigin(request);
  const { id: performerId = "", document: id = "" } = params;
  const opened = await unlessBusy(openDocument({ id, performerId, userId: user.id }));
  if (typeof opened === "string") {
    const page = `/admin/consent/${encodeURIComponent(performerId)}`;
    throw redirectWithToast(page, failure(404, WHY[opened]).toast);
  }
  return new Response(new Uint8Array(opened.content), {
    headers: {
      "Content-Type": opened.type,
      "Content-Length": String(opened.content.length),
      "Content-Disposition": `attachment; filename="${opened.fileName}"`,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "Referrer-Policy": "no-referrer",
    },
  });
}
