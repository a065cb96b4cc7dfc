import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { ageCookie } from "~/server/age.server";
import { requireOwnOrigin } from "~/server/origin.server";
import { safePath } from "~/server/safe-redirect";
import { readSmallForm } from "~/server/small-form.server";

/** Takes the answer of the entry dialog and leads back to the page that it stood before. */
export async function action({ request }: ActionFunctionArgs) {
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  return redirect(safePath(form.get("returnTo"), "/"), {
    headers: { "Set-Cookie": ageCookie(request) },
  });
}

/** Somebody who follows the address by hand. */
export function loader() {
  return redirect("/");
}
