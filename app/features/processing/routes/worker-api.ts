import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { handleWorkerRequest } from "../workers/worker-api.server";

/** GET and HEAD requests of remote workers (docs/workers.md): source videos, and how much of a result has arrived. */
export async function loader({ request, params }: LoaderFunctionArgs) {
  return handleWorkerRequest(request, params["*"] ?? "");
}

/** Other requests of remote workers: claim, extend, finish and return jobs, and send files. */
export async function action({ request, params }: ActionFunctionArgs) {
  return handleWorkerRequest(request, params["*"] ?? "");
}
