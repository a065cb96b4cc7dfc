import type { ActionFunctionArgs } from "@remix-run/node";
import { confirmIdentity } from "~/account/confirm-identity.server";
import { FormError, toFormError } from "~/account/form-error.server";
import { requireSession } from "~/account/guard.server";
import { beginPasskey } from "~/account/passkeys/add-passkey.server";
import { askForPasskey } from "~/account/passkeys/answer-challenge.server";
import { requireOwnOrigin } from "~/server/origin.server";
import { readSmallForm } from "~/server/small-form.server";

/**
 * POST: what the account page asks the browser for a passkey with. `purpose` is `confirm`, or `add` with
 * the password or a passkey that confirms who it is. The page's own forms take the answers.
 */
export async function action({ request }: ActionFunctionArgs) {
  const session = await requireSession(request, "/admin/account/passkey");
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  try {
    const purpose = form.get("purpose");
    if (purpose !== "confirm" && purpose !== "add") {
      throw new FormError(400, "This form asks for something the site does not know.");
    }
    if (purpose === "add") await confirmIdentity(request, session, form, { withCode: true });
    const { options, cookie } =
      purpose === "add"
        ? await beginPasskey(request, session)
        : askForPasskey(request, { purpose, session: session.idHash });
    return Response.json(options, {
      headers: { "Set-Cookie": cookie, "Cache-Control": "no-store" },
    });
  } catch (error) {
    const { message, init } = toFormError(error);
    return Response.json({ message }, init);
  }
}
