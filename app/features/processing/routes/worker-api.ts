import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { handleWorkerRequest } from "../workers/worker-api.server";

/**
 * Handles GET and HEAD requests from remote workers (docs/workers.md): for source videos, and for how much of a result
 * has arrived.
 */
export async function loader({ request, params }: LoaderFunctionArgs) {
  return handleWorkerRequest(request, params["*"] ?? "");
}

/** Handles the other requests from remote workers: to claim, extend, finish and return jobs, and to send files. */
export async function action({ request, params }: ActionFunctionArgs) {
  return handleWorkerRequest(request, params["*"] ?? "");
}
