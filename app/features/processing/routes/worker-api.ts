import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { handleWorkerRequest } from "../workers/worker-api.server";

/**
 * Handles GET and HEAD requests from remote workers (docs/workers.md): requests for a source video, or for the number
 * of bytes of a result that have been received.
 */
export async function loader({ request, params }: LoaderFunctionArgs) {
  return handleWorkerRequest(request, params["*"] ?? "");
}

/**
 * Handles all other requests from remote workers: requests to claim, extend, finish or return a job, or to send files.
 */
export async function action({ request, params }: ActionFunctionArgs) {
  return handleWorkerRequest(request, params["*"] ?? "");
}
