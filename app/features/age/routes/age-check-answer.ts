import type { LoaderFunctionArgs } from "@remix-run/node";
import { endAgeCheck, redirectOfStep } from "../age-check.server";

/** Return URL of the provider, with the signed result. */
export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  return redirectOfStep(await endAgeCheck(request));
}
