import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  redirect,
} from "@remix-run/node";
import { Form, useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { currentUser } from "~/features/permissions/guard.server";
import { toFormError } from "~/platform/form-error.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { Button, ButtonLink } from "~/ui/button";
import { useFormErrorToast } from "~/ui/feedback/use-error-toast";
import { Field } from "~/ui/forms/field";
import { PasskeySignIn } from "~/ui/forms/passkey-sign-in";
import { SignInCard } from "~/ui/forms/sign-in-card";
import { relyingParty } from "../passkeys/passkey-challenge.server";
import { hasAnyPasskey } from "../passkeys/passkeys.server";
import {
  completeSignIn,
  secondStepCookie,
  verifyCredentials,
  verifyPasskeySignIn,
} from "../sign-in.server";

export const meta = privateMeta("Admin Sign In");

export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request }: LoaderFunctionArgs) {
  if (await currentUser(request)) throw redirect("/");
  const { id, isUsable } = relyingParty(request);
  return { passkeys: isUsable && hasAnyPasskey(id) };
}

export async function action({ request }: ActionFunctionArgs) {
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  try {
    if (form.has("passkey")) {
      return await completeSignIn(
        request,
        await verifyPasskeySignIn(request, form),
        "passkey-sign-in",
      );
    }
    const user = await verifyCredentials(request, form);
    if (!user.hasSecondFactor) return await completeSignIn(request, user.id);
    return redirect("/auth/code", { headers: { "Set-Cookie": secondStepCookie(user) } });
  } catch (error) {
    const { message, init } = toFormError(error);
    const isPasskey = form.has("passkey");
    return data({ message, isPasskey, email: String(form.get("email") ?? "") }, init);
  }
}

export default function Auth() {
  const { passkeys } = useLoaderData<typeof loader>();
  const formError = useActionData<typeof action>();
  const busy = useNavigation().formAction === "/auth";
  useFormErrorToast(formError);
  return (
    <SignInCard title="Admin Sign In">
      <Form method="post" action="/auth" className="flex flex-col gap-4">
        <Field
          label="Email"
          name="email"
          type="email"
          autoComplete={passkeys ? "username webauthn" : "username"}
          required
          defaultValue={formError?.email}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          error={formError?.isPasskey ? undefined : formError?.message}
        />
        <Button busy={busy} busyLabel="Signing In..." className="mt-2 w-full">
          Sign In
        </Button>
      </Form>
      {passkeys && <PasskeySignIn busy={busy} />}
      <ButtonLink to="/" variant="ghost" className="w-full">
        Back to Home
      </ButtonLink>
    </SignInCard>
  );
}
