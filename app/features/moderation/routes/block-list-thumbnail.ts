import type { LoaderFunctionArgs } from "@remix-run/node";
import { requirePermission } from "~/features/permissions/guard.server";
import { contentType } from "~/media/serve/open-file.server";
import { sendFile } from "~/media/serve/serve.server";
import { notFound } from "~/media/serve/serve-stored.server";
import { entryThumbnail } from "../block-list/block-list-page.server";

/** Serves a block list entry's thumbnail. No other route serves thumbnails of videos in the trash. */
export async function loader({ request, params }: LoaderFunctionArgs): Promise<Response> {
  await requirePermission(request, "/admin/block-list/:entry/thumbnail");
  const name = entryThumbnail(Number(params.entry));
  if (name?.bucket !== "thumbnails") return notFound();
  const headers = new Headers({
    "Cache-Control": "private, no-store",
    "Content-Type": contentType(name.path),
    "X-Robots-Tag": "noindex",
  });
  return sendFile(request, name, headers);
}
