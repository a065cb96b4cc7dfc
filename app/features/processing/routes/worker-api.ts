import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { handleWorkerRequest } from "../workers/worker-api.server";

/**
 * Handles GET and HEAD requests from remote workers (docs/workers.md): they request a source video, or ask how many
 * bytes of a result have arrived.
 */
export async function loader({ request, params }: LoaderFunctionArgs) {
  return handleWorkerRequest(request, params["*"] ?? "");
}

/**
 * Handles all other requests from remote workers: requests to claim, extend, finish and return jobs, and requests that
 * send files.
 */
export async function action({ request, params }: ActionFunctionArgs) {
  return handleWorkerRequest(request, params["*"] ?? "");
}
