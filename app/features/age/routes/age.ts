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

/** Takes the answer of the entry dialog and leads back to the page that it stood before. */
export async function action({ request }: ActionFunctionArgs) {
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  return redirect(safePath(form.get("returnTo"), "/"), {
    headers: { "Set-Cookie": ageCookie(request) },
  });
}

/**
 * Somebody who follows the address by hand; and where a rule of their country stands in the way of a
 * page's data, the page is asked for as a whole.
 */
export function loader({ request }: LoaderFunctionArgs) {
  return redirectDocument(safePath(new URL(request.url).searchParams.get("to"), "/"));
}
