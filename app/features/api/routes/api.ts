import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { answerApi } from "../answer.server";
import { answerOpenApi } from "../openapi.server";

/** The HTTP API for programs: GET and HEAD, and its description, which anybody may read. */
export async function loader({ request, params }: LoaderFunctionArgs) {
  const path = params["*"] ?? "";
  if (path === "openapi.json") return answerOpenApi(request);
  return answerApi(request, path);
}

/** POST, PUT, PATCH and DELETE. */
export async function action({ request, params }: ActionFunctionArgs) {
  return answerApi(request, params["*"] ?? "");
}
