import type { ActionFunctionArgs } from "@remix-run/node";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { createPasskeyRequest } from "../passkeys/passkey-challenge.server";

/**
 * POST: returns the WebAuthn options for the passkey prompt on the sign-in page. The browser's response is sent to
 * /auth.
 */
export async function action({ request }: ActionFunctionArgs) {
  requireOwnOrigin(request);
  await readSmallForm(request);
  const { options, cookie } = createPasskeyRequest(request, { purpose: "sign-in" });
  return Response.json(options, {
    headers: { "Set-Cookie": cookie, "Cache-Control": "no-store" },
  });
}
