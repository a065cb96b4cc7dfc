import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Form, useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { addressLimit } from "~/platform/address-limit.server";
import { clientAddress } from "~/platform/client-address.server";
import { FormError, toFormError, tooManyAttempts } from "~/platform/form-error.server";
import { unlistedHeaders } from "~/platform/no-store.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { Button, ButtonLink } from "~/ui/button";
import { useFormErrorToast } from "~/ui/feedback/use-error-toast";
import { Field } from "~/ui/forms/field";
import { SignInCard } from "~/ui/forms/sign-in-card";
import { acceptInvitation, findInvitation, INVITATION_MESSAGES } from "../invitations.server";
import { completeSignIn } from "../sign-in.server";

export const meta = privateMeta("Invitation");

/** The link alone gives access, so the page must not be cached, not even by the browser. */
export const headers = unlistedHeaders;

const WRONG_LINKS_PER_ADDRESS = 20;
const WINDOW_SECONDS = 15 * 60;
const byAddress = addressLimit(
  "wrong invitation links by address",
  WRONG_LINKS_PER_ADDRESS,
  WINDOW_SECONDS,
);

export async function loader({ request, params }: LoaderFunctionArgs) {
  try {
    const { state, email, role } = await limited(request, () => findInvitation(params.token ?? ""));
    if (state === "open") return { email, role, message: undefined };
    const message = INVITATION_MESSAGES[state];
    return data(
      { email: undefined, role: undefined, message },
      { status: state === "unknown" ? 404 : 410 },
    );
  } catch (error) {
    const { message, init } = toFormError(error);
    return data({ email: undefined, role: undefined, message }, init);
  }
}

export async function action({ request, params }: ActionFunctionArgs) {
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  const password = String(form.get("password") ?? "");
  try {
    if (password !== String(form.get("again") ?? "")) {
      throw new FormError(422, "The passwords don’t match.");
    }
    const token = params.token ?? "";
    await limited(request, () => findInvitation(token));
    return await completeSignIn(request, await acceptInvitation(token, password));
  } catch (error) {
    const { message, init } = toFormError(error);
    return data({ message }, init);
  }
}

/** Limits attempts to open unknown links. Opening a valid link repeatedly doesn't count as an attempt. */
async function limited<T extends { state: string }>(
  request: Request,
  find: () => Promise<T>,
): Promise<T> {
  const address = clientAddress(request);
  const wait = byAddress.consume(address);
  if (wait !== undefined) throw tooManyAttempts(wait);
  const found = await find();
  if (found.state !== "unknown") byAddress.refund(address);
  return found;
}

export default function Invite() {
  const { email, role, message } = useLoaderData<typeof loader>();
  const formError = useActionData<typeof action>();
  const isBusy = useNavigation().formMethod === "POST";
  useFormErrorToast(formError);
  if (message !== undefined) {
    return (
      <SignInCard title="Invitation" text={message}>
        <ButtonLink to="/" variant="ghost" className="w-full">
          Back to Home
        </ButtonLink>
      </SignInCard>
    );
  }
  return (
    <SignInCard
      title="Invitation"
      text={`You’ve been invited to the studio as ${role}. Choose a password to create your account.`}
    >
      <Form method="post" className="flex flex-col gap-4">
        <Field label="Email" type="email" autoComplete="username" readOnly value={email} />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          hint="At least 10 characters."
          required
          error={formError?.message}
        />
        <Field
          label="Repeat password"
          name="again"
          type="password"
          autoComplete="new-password"
          required
        />
        <Button busy={isBusy} busyLabel="Creating account..." className="mt-2 w-full">
          Create account
        </Button>
      </Form>
    </SignInCard>
  );
}
