import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { answerWorker } from "../workers/worker-api.server";

/** GET and HEAD requests of remote workers (docs/workers.md): source videos, and how much of a result has arrived. */
export async function loader({ request, params }: LoaderFunctionArgs) {
  return answerWorker(request, params["*"] ?? "");
}

/** Other requests of remote workers: claim, extend, finish and return jobs, and send files. */
export async function action({ request, params }: ActionFunctionArgs) {
  return answerWorker(request, params["*"] ?? "");
}
