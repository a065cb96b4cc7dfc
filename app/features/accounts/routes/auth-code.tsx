import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  redirect,
} from "@remix-run/node";
import { Form, useActionData, useNavigation } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { toFormError } from "~/platform/form-error.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { Button, ButtonLink } from "~/ui/button";
import { useFormErrorToast } from "~/ui/feedback/use-error-toast";
import { CodeField } from "~/ui/forms/code-field";
import { SignInCard } from "~/ui/forms/sign-in-card";
import {
  completeSignIn,
  endSecondStep,
  findSecondStep,
  verifySecondFactor,
} from "../sign-in.server";

export const meta = privateMeta("Two-factor authentication - Admin Sign In");

export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

/** Only available to a user who has just entered their password. */
export async function loader({ request }: LoaderFunctionArgs) {
  if (!(await findSecondStep(request))) throw redirect("/auth");
  return null;
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await findSecondStep(request);
  requireOwnOrigin(request);
  if (!user) throw redirect("/auth");
  const form = await readSmallForm(request);
  try {
    const kind = await verifySecondFactor(request, user.id, String(form.get("code") ?? ""));
    const answer = await completeSignIn(
      request,
      user.id,
      kind === "recovery" ? "recovery-code-use" : "sign-in",
    );
    answer.headers.append("Set-Cookie", endSecondStep());
    return answer;
  } catch (error) {
    const { message, init } = toFormError(error);
    return data({ message }, init);
  }
}

export default function AuthCode() {
  const formError = useActionData<typeof action>();
  const busy = useNavigation().formAction === "/auth/code";
  useFormErrorToast(formError);
  return (
    <SignInCard
      title="Two-factor authentication"
      text="Enter the 6-digit code from your authenticator app."
    >
      <Form method="post" action="/auth/code" className="flex flex-col gap-4">
        <CodeField error={formError?.message} />
        <Button busy={busy} busyLabel="Signing In..." className="mt-2 w-full">
          Sign In
        </Button>
      </Form>
      <ButtonLink to="/auth" variant="ghost" className="w-full">
        Back
      </ButtonLink>
    </SignInCard>
  );
}
