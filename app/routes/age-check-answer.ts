import type { LoaderFunctionArgs } from "@remix-run/node";
import { endAgeCheck, redirectOfStep } from "~/trust/place/age-check.server";

/** Where the provider sends a visitor back to, with the signed answer. */
export function loader({ request }: LoaderFunctionArgs): Response {
  return redirectOfStep(endAgeCheck(request));
}
