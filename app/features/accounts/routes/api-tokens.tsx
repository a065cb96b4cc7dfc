import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Link, useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/meta/private-meta";
import {
  assertAllowed,
  requirePermission,
  requireSession,
} from "~/features/permissions/guard.server";
import { usePermissions } from "~/features/permissions/use-permissions";
import { AdminLinks } from "~/features/site/admin-navigation";
import { toFormError } from "~/platform/form-error.server";
import { noStoreHeaders } from "~/platform/no-store.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { useFormErrorToast } from "~/ui/feedback/use-error-toast";
import { confirmIdentity } from "../confirm-identity.server";
import { hasPassword } from "../passkeys/passkeys.server";
import { NewToken, TokenForm, TokenList } from "../tokens/token-panel";
import { createToken, listTokens, revokeToken } from "../tokens/tokens.server";

export const meta = privateMeta("API Tokens");

/** A token must not stay in a cache, the browser's own included. */
export const headers = noStoreHeaders;

export async function loader({ request }: LoaderFunctionArgs) {
  const user = await requirePermission(request, "/admin/tokens");
  return {
    tokens: await listTokens(user.id),
    hasPassword: await hasPassword(user.id),
    now: Date.now(),
  };
}

export async function action({ request }: ActionFunctionArgs) {
  const session = await requireSession(request, "/admin/tokens");
  const { user } = session;
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  const isNew = form.get("intent") === "create";
  if (isNew) assertAllowed(user, "/admin/tokens create");
  try {
    if (isNew) {
      await confirmIdentity(request, session, form);
      return { token: await createToken(user, form), message: undefined, isIdentity: false };
    }
    const isRevoked = await revokeToken(user.id, Number(form.get("id")));
    return redirectWithToast("/admin/tokens", {
      title: "Success",
      description: isRevoked ? "The token has been revoked." : "This token was revoked before.",
      kind: "success",
    });
  } catch (error) {
    const { message, init } = toFormError(error);
    return data({ message, isIdentity: init.status === 400, token: undefined }, init);
  }
}

export default function ApiTokens() {
  const { tokens, hasPassword, now } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const busy = useNavigation().formAction === "/admin/tokens";
  const mayCreate = usePermissions()("/admin/tokens create");
  useFormErrorToast(answer);
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-bold">API Tokens</h1>
        <AdminLinks />
      </div>
      <p className="text-muted">
        A token lets a program use the site in your name, as far as its scopes and your account
        allow. What there is to call stands in the{" "}
        <Link to="/api" className="text-ink underline underline-offset-4">
          reference of the API
        </Link>
        .
      </p>
      {answer?.token && <NewToken token={answer.token} />}
      {mayCreate ? (
        <TokenForm
          key={answer?.token}
          hasPassword={hasPassword}
          busy={busy}
          error={answer?.isIdentity ? undefined : answer?.message}
          identityError={answer?.isIdentity ? answer.message : undefined}
        />
      ) : (
        <p className="text-muted">Your account can't create tokens or use the API.</p>
      )}
      <TokenList tokens={tokens} busy={busy} now={now} />
    </div>
  );
}
