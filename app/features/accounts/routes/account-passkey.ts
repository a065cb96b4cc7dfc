import type { ActionFunctionArgs } from "@remix-run/node";
import { requireSession } from "~/features/permissions/guard.server";
import { FormError, toFormError } from "~/platform/form-error.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { confirmIdentity } from "../confirm-identity.server";
import { createPasskeyRequest } from "../passkeys/passkey-challenge.server";
import { createPasskeyOptions } from "../passkeys/passkeys.server";

/**
 * POST: returns the WebAuthn options for a passkey prompt on the account page. `purpose` is `confirm` or `add`. For
 * `add`, the request must also contain the password or a passkey to confirm the user's identity. The browser's response
 * is then submitted with one of the page's forms.
 */
export async function action({ request }: ActionFunctionArgs) {
  const session = await requireSession(request, "/admin/account/passkey");
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  try {
    const purpose = form.get("purpose");
    if (purpose !== "confirm" && purpose !== "add") {
      throw new FormError(400, "Unknown action. Reload the page and try again.");
    }
    if (purpose === "add") await confirmIdentity(request, session, form, { withCode: true });
    const { options, cookie } =
      purpose === "add"
        ? await createPasskeyOptions(request, session)
        : createPasskeyRequest(request, { purpose, session: session.idHash });
    return Response.json(options, {
      headers: { "Set-Cookie": cookie, "Cache-Control": "no-store" },
    });
  } catch (error) {
    const { message, init } = toFormError(error);
    return Response.json({ message }, init);
  }
}
