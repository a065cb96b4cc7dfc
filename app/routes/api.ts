import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { answerApi } from "~/api/answer.server";
import { openApiDocument } from "~/api/openapi.server";
import { siteIdentity } from "~/server/site-origin.server";

/** The HTTP API for programs: GET and HEAD, and its description, which anybody may read. */
export async function loader({ request, params }: LoaderFunctionArgs) {
  const path = params["*"] ?? "";
  if (path === "openapi.json") return Response.json(openApiDocument(siteIdentity(request)));
  return answerApi(request, path);
}

/** POST, PUT, PATCH and DELETE. */
export async function action({ request, params }: ActionFunctionArgs) {
  return answerApi(request, params["*"] ?? "");
}
