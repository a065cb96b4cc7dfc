import type { LoaderFunctionArgs } from "@remix-run/node";
import { isReportedFile } from "~/features/moderation/reports/report-videos.server";
import { currentUser } from "~/features/permissions/guard.server";
import { reachOf } from "~/features/permissions/permissions";
import { isUploadersFile, respondWithMedia } from "~/features/visibility/media-access.server";
import { type MediaName, parseMediaUrl } from "~/media/bucket.server";
import { notFound } from "~/media/serve/serve-stored.server";
import { requestContext } from "~/platform/node/request-context.server";

export function loader({ request }: LoaderFunctionArgs): Response | Promise<Response> {
  const { pathname } = new URL(request.url);
  // Parsing a URL resolves dot segments and backslashes, and Remix removes `.data`. Each file's URL has exactly one
  // valid spelling, so a URL that changes when it is parsed isn't the URL of a file.
  const sent = requestContext()?.request.url?.replace(/\?.*$/s, "") ?? pathname;
  const name = sent === pathname ? parseMediaUrl(pathname) : undefined;
  if (!name) return notFound();
  const maySeeHidden = async (file: MediaName) => {
    const user = await currentUser(request);
    const reach = user && reachOf(user, "/media/* hidden");
    if (reach === "reported") return isReportedFile(file);
    return reach === "all" || (reach === "own" && isUploadersFile(file, user?.id ?? ""));
  };
  return respondWithMedia(request, name, maySeeHidden);
}

export function action(): Response {
  return new Response(null, { status: 405, headers: { Allow: "GET, HEAD" } });
}
