import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Form, Link, useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import {
  assertAllowed,
  requirePermission,
  requireSession,
} from "~/features/permissions/guard.server";
import { usePermissions } from "~/features/permissions/use-permissions";
import { AdminPage } from "~/features/site/admin-navigation";
import { toFormError } from "~/platform/form-error.server";
import { noStoreHeaders } from "~/platform/no-store.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { Button } from "~/ui/button";
import { success } from "~/ui/feedback/toast-message";
import { useFormErrorToast } from "~/ui/feedback/use-error-toast";
import { CheckField, Field, SelectField } from "~/ui/forms/field";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { confirmIdentity } from "../confirm-identity.server";
import { ConfirmField, usePasskeyConfirmation } from "../passkeys/confirm-field";
import { hasPassword } from "../passkeys/passkeys.server";
import { LIFETIMES_DAYS, MAX_TOKEN_NAME_LENGTH, SCOPE_NAMES, SCOPES } from "../tokens/scopes";
import { createToken, type ListedToken, listTokens, revokeToken } from "../tokens/tokens.server";

export const meta = privateMeta("API tokens");

/** Tokens must not be cached, not even by the browser. */
export const headers = noStoreHeaders;

export async function loader({ request }: LoaderFunctionArgs) {
  const user = await requirePermission(request, "/admin/tokens");
  return {
    tokens: await listTokens(user.id),
    hasPassword: hasPassword(user.id),
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
    const done = isRevoked ? "Token revoked." : "This token was already revoked.";
    return redirectWithToast("/admin/tokens", success("Success", done));
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
    <AdminPage title="API tokens" isNarrow>
      <p className="text-muted">
        API tokens let other software act on your behalf, within their scopes and your permissions.
        See the{" "}
        <Link to="/api" className="text-ink underline underline-offset-4">
          API reference
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
        <p className="text-muted">Your account can’t create tokens or use the API.</p>
      )}
      <TokenList tokens={tokens} busy={busy} now={now} />
    </AdminPage>
  );
}

/** A new token. It is shown only once, because only its hash is stored. */
function NewToken({ token }: { token: string }) {
  return (
    <PageSection id="new-token" title="Your new token">
      <p>Copy the token now. It won’t be shown again.</p>
      <p className="rounded-md border border-line-strong bg-ground p-3 wrap-anywhere select-all">
        <code>{token}</code>
      </p>
    </PageSection>
  );
}

function TokenForm({
  hasPassword,
  busy,
  error,
  identityError,
}: {
  hasPassword: boolean;
  busy: boolean;
  error?: string;
  identityError?: string;
}) {
  const confirm = usePasskeyConfirmation(!hasPassword);
  return (
    <Form
      method="post"
      className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-5 sm:p-6"
      aria-labelledby="create-token"
      onSubmit={confirm}
    >
      <input type="hidden" name="intent" value="create" />
      <h2 id="create-token" className="text-lg font-semibold">
        Create token
      </h2>
      <Field
        label="Name"
        name="name"
        required
        maxLength={MAX_TOKEN_NAME_LENGTH}
        hint="For example, the software that will use the token."
        error={error}
      />
      <fieldset className="flex flex-col">
        <legend className="text-sm font-medium">Scopes</legend>
        {SCOPE_NAMES.map((scope) => (
          <CheckField key={scope} name="scope" value={scope} defaultChecked={scope === "read"}>
            {SCOPES[scope]}
          </CheckField>
        ))}
      </fieldset>
      <SelectField label="Expires in" name="days" defaultValue="90">
        {LIFETIMES_DAYS.map((days) => (
          <option key={days} value={days}>
            {days === 365 ? "1 year" : `${days} days`}
          </option>
        ))}
      </SelectField>
      <ConfirmField hasPassword={hasPassword} error={identityError} />
      <div>
        <Button busy={busy} busyLabel="Creating...">
          Create token
        </Button>
      </div>
    </Form>
  );
}

function TokenList({ tokens, busy, now }: { tokens: ListedToken[]; busy: boolean; now: number }) {
  return (
    <PageSection id="tokens" title="Tokens">
      {tokens.length === 0 && (
        <p className="text-muted">No tokens yet. Create one to use the API.</p>
      )}
      <ul className="flex flex-col ruled">
        {tokens.map((token) => (
          <li key={token.id} className="flex flex-wrap items-center gap-3 py-3">
            <div className="min-w-0 flex-1 basis-48">
              <p className="font-medium wrap-anywhere">
                {token.name}
                {Date.parse(token.expiresAt) <= now && (
                  <span className="ml-2 text-sm text-bad">Expired</span>
                )}
              </p>
              <p className="text-sm text-muted">
                {token.scopes.join(", ")}; expires <Time value={token.expiresAt} />;{" "}
                {token.lastUsedAt ? (
                  <>
                    last used <Time value={token.lastUsedAt} />
                  </>
                ) : (
                  "never used"
                )}
              </p>
            </div>
            <Form method="post">
              <input type="hidden" name="id" value={token.id} />
              <Button variant="danger" size="sm" name="intent" value="revoke" disabled={busy}>
                Revoke<span className="sr-only"> {token.name}</span>
              </Button>
            </Form>
          </li>
        ))}
      </ul>
    </PageSection>
  );
}
