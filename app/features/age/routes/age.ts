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

/** Handles the visitor's choice in the entry dialog and redirects back to the page behind it. */
export async function action({ request }: ActionFunctionArgs) {
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  return redirect(safePath(form.get("returnTo"), "/"), {
    headers: { "Set-Cookie": ageCookie(request) },
  });
}

/**
 * Redirects visitors who open the URL directly. Also reloads a page whose data request was blocked by a country rule,
 * so that the browser requests the whole page.
 */
export function loader({ request }: LoaderFunctionArgs) {
  return redirectDocument(safePath(new URL(request.url).searchParams.get("to"), "/"));
}
