import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { answerWorker } from "../workers/worker-api.server";

/** GET and HEAD of what workers on other machines ask for (docs/how-to/workers.md): videos, and what has arrived. */
export async function loader({ request, params }: LoaderFunctionArgs) {
  return answerWorker(request, params["*"] ?? "");
}

/** Jobs are taken, prolonged, ended and given back, and files are sent. */
export async function action({ request, params }: ActionFunctionArgs) {
  return answerWorker(request, params["*"] ?? "");
}
