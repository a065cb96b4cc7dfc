import type { LoaderFunctionArgs } from "@remix-run/node";
import { endAgeCheck, redirectOfStep } from "../age-check.server";

/** Where the provider sends a visitor back to, with the signed answer. */
export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  return redirectOfStep(await endAgeCheck(request));
}
