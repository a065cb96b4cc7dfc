import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { handleApiRequest } from "../answer.server";
import { serveOpenApi } from "../openapi.server";

/** Handles GET and HEAD requests to the API, and serves its OpenAPI document. */
export async function loader({ request, params }: LoaderFunctionArgs) {
  const path = params["*"] ?? "";
  if (path === "openapi.json") return serveOpenApi(request);
  return handleApiRequest(request, path);
}

/** Handles POST, PUT, PATCH and DELETE requests. */
export async function action({ request, params }: ActionFunctionArgs) {
  return handleApiRequest(request, params["*"] ?? "");
}
