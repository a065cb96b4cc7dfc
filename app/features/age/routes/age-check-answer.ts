import type { LoaderFunctionArgs } from "@remix-run/node";
import { completeAgeCheck, stepRedirect } from "../age-check.server";

/** Handles the redirect back from the provider, with the signed result. */
export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  return stepRedirect(await completeAgeCheck(request));
}
