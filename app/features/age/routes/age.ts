import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  redirect,
  redirectDocument,
} from "@remix-run/node";
import { ageCookie } from "~/platform/age.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { safePath } from "~/platform/safe-redirect";
import { readSmallForm } from "~/platform/small-form.server";

/** Handles the answer of the entry dialog and redirects back to the page behind it. */
export async function action({ request }: ActionFunctionArgs) {
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  return redirect(safePath(form.get("returnTo"), "/"), {
    headers: { "Set-Cookie": ageCookie(request) },
  });
}

/**
 * Redirects visitors who open the URL directly. Also reloads a page whose data request was blocked by a country
 * rule, so that the whole page is requested.
 */
export function loader({ request }: LoaderFunctionArgs) {
  return redirectDocument(safePath(new URL(request.url).searchParams.get("to"), "/"));
}
