import { LogIn } from "lucide-react";
import type { SignedOutForm } from "~/shared/signed-out-form";
import { ButtonLink } from "../button";
import { ResendForm } from "../forms/resend-form";

/** Takes the place of a studio page whose form was sent after the session had ended. */
export function SignedOutPage({ form: { message, fields } }: { form: SignedOutForm }) {
  return (
    <div className="mx-auto flex max-w-lg flex-col gap-6 py-10">
      <h1 className="text-xl font-bold">Your session has ended</h1>
      <div role="alert" className="flex flex-col gap-2">
        <p className="font-semibold">{message}</p>
        <p className="text-muted">
          {fields.length > 0
            ? "Sign in in another tab, then send this again. What you entered is kept here."
            : "Sign in, then try again."}
        </p>
      </div>
      <div>
        <ButtonLink to="/auth" target={fields.length > 0 ? "_blank" : undefined}>
          <LogIn aria-hidden="true" className="size-4" />
          Sign In
        </ButtonLink>
      </div>
      {fields.length > 0 && <ResendForm fields={fields} />}
    </div>
  );
}
