import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import {
  Form,
  Link,
  useActionData,
  useLoaderData,
  useLocation,
  useNavigation,
} from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { DecisionList } from "~/features/moderation/reports/decision-list";
import { listUploaderDecisions } from "~/features/moderation/reports/uploader-decisions.server";
import { requireSession } from "~/features/permissions/guard.server";
import { listSessions } from "~/features/permissions/session.server";
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
import { CheckField, Field } from "~/ui/forms/field";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { changeAccount } from "../account-form.server";
import { deviceCookie, knownDevice } from "../device.server";
import { ConfirmField, usePasskeyConfirmation } from "../passkeys/confirm-field";
import { relyingParty } from "../passkeys/passkey-challenge.server";
import { PasskeyPanel } from "../passkeys/passkey-panel";
import { hasPassword, listPasskeys } from "../passkeys/passkeys.server";
import { findEnrollment, findSecondFactor } from "../second-factor.server";
import { RecoveryCodes, SecondFactorPanel } from "../second-factor-panel";
import { StrikeList } from "../users/strikes";
import { listStrikes } from "../users/strikes.server";

const SECOND_FACTOR_FORMS = [
  ...["second-factor-begin", "second-factor-confirm", "second-factor-off"],
  "recovery-codes",
];

export const meta = privateMeta("Your account");

/** Recovery codes must not be cached, not even by the browser. */
export const headers = noStoreHeaders;

export async function loader({ request }: LoaderFunctionArgs) {
  const { user, idHash } = await requireSession(request, "/admin/account");
  const sessions = await listSessions(user.id);
  const { id: rpId, isUsable } = relyingParty(request);
  return {
    email: user.email,
    strikes: listStrikes([user.id]).get(user.id) ?? [],
    decisions: listUploaderDecisions(user.id),
    isUploader: user.role === "uploader",
    sessions: sessions.map((each) => ({ ...each, current: each.idHash === idHash })),
    factor: await findSecondFactor(user.id),
    enrollment: await findEnrollment(user.id),
    passkeys: await listPasskeys(user.id),
    rpId: isUsable ? rpId : undefined,
    hasPassword: hasPassword(user.id),
  };
}

export async function action({ request }: ActionFunctionArgs) {
  const session = await requireSession(request, "/admin/account");
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  const device = knownDevice(request, session.user.id);
  try {
    const change = await changeAccount(request, session, form);
    // Changing the password or the second factor voids all device cookies except the one in this browser.
    const headers = new Headers();
    if (device) headers.set("Set-Cookie", deviceCookie(session.user.id, device));
    if ("recoveryCodes" in change) {
      const answer = { ...change, message: undefined, intent: undefined, field: undefined };
      return data(answer, { headers });
    }
    if (change.done === undefined) return redirect("/admin/account", { headers });
    return redirectWithToast("/admin/account", success("Success", change.done), { headers });
  } catch (error) {
    const { message, field, init } = toFormError(error);
    const intent = String(form.get("intent") ?? "");
    return data({ message, intent, field, recoveryCodes: undefined }, init);
  }
}

export default function Account() {
  const { email, strikes, decisions, sessions, factor, ...page } = useLoaderData<typeof loader>();
  const { passkeys, rpId, hasPassword } = page;
  const answer = useActionData<typeof action>();
  const navigation = useNavigation();
  const busy = navigation.formAction === "/admin/account";
  const { key } = useLocation();
  const mayCreateTokens = usePermissions()("/admin/tokens create");
  useFormErrorToast(answer);
  const errorOf = (...intents: string[]) =>
    intents.includes(answer?.intent ?? "") ? answer?.message : undefined;
  const secondFactorError = errorOf(...SECOND_FACTOR_FORMS);
  const isCodeWrong = answer?.field === "code";
  return (
    <AdminPage title="Your account" lead={email} isNarrow>
      {answer?.recoveryCodes && <RecoveryCodes codes={answer.recoveryCodes} />}
      {strikes.length > 0 && (
        <PageSection id="strikes" title="Strikes">
          <StrikeList strikes={strikes} />
        </PageSection>
      )}
      {(page.isUploader || decisions.length > 0) && (
        <PageSection id="decisions" title="Decisions about your videos">
          <DecisionList decisions={decisions} />
        </PageSection>
      )}
      <PageSection id="password" title="Password">
        <PasswordForm
          key={key}
          email={email}
          hasPassword={hasPassword}
          busy={busy}
          error={errorOf("password")}
        />
      </PageSection>
      <PageSection id="passkeys" title="Passkeys">
        <PasskeyPanel
          key={key}
          {...{ passkeys, rpId, hasPassword, busy, errorOf }}
          hasSecondFactor={factor.enabledAt !== undefined}
        />
      </PageSection>
      <PageSection id="second-factor" title="Two-factor authentication">
        <SecondFactorPanel
          key={key}
          factor={factor}
          enrollment={page.enrollment}
          hasPassword={hasPassword}
          hasPasskey={passkeys.some((each) => each.rpId === rpId)}
          busy={busy}
          error={isCodeWrong ? undefined : secondFactorError}
          codeError={isCodeWrong ? secondFactorError : undefined}
        />
      </PageSection>
      <PageSection id="sessions" title="Sessions">
        <SessionList
          sessions={sessions}
          busy={busy}
          error={errorOf("end-session", "end-other-sessions")}
        />
      </PageSection>
      {mayCreateTokens && (
        <PageSection id="api" title="API">
          <p className="text-muted">
            <Link to="/admin/tokens" className="text-ink underline underline-offset-4">
              API tokens
            </Link>{" "}
            let other software act on your behalf.
          </p>
        </PageSection>
      )}
    </AdminPage>
  );
}

/** Changes or sets the password. The hidden field tells password managers which account the password is for. */
function PasswordForm({
  email,
  hasPassword,
  busy,
  error,
}: {
  email: string;
  hasPassword: boolean;
  busy: boolean;
  error?: string;
}) {
  const confirm = usePasskeyConfirmation(!hasPassword);
  return (
    <Form method="post" className="flex max-w-md flex-col gap-4" onSubmit={confirm}>
      <input type="hidden" name="intent" value="password" />
      <input hidden readOnly name="username" autoComplete="username" value={email} />
      {!hasPassword && (
        <p className="text-muted">
          Your account has no password. You sign in with a passkey, but you can set a password here.
        </p>
      )}
      <ConfirmField hasPassword={hasPassword} error={error} />
      <Field
        label="New password"
        name="password"
        type="password"
        autoComplete="new-password"
        hint="At least 10 characters."
        minLength={10}
        required
      />
      <Field
        label="Repeat new password"
        name="again"
        type="password"
        autoComplete="new-password"
        required
      />
      <CheckField name="tokens">Also revoke my API tokens</CheckField>
      <div>
        <Button busy={busy} busyLabel="Changing...">
          {hasPassword ? "Change password" : "Set password"}
        </Button>
      </div>
    </Form>
  );
}

function SessionList({
  sessions,
  busy,
  error,
}: {
  sessions: Awaited<ReturnType<typeof loader>>["sessions"];
  busy: boolean;
  error?: string;
}) {
  return (
    <div className="flex flex-col gap-4">
      {error && <p className="text-sm text-bad">{error}</p>}
      <ul className="flex flex-col ruled">
        {sessions.map((session) => (
          <li key={session.idHash} className="flex flex-wrap items-center gap-3 py-3">
            <div className="min-w-0 flex-1 basis-48">
              <p className="font-medium">
                {session.device || "Unknown device"}
                {session.current && <span className="ml-2 text-sm text-good">This session</span>}
              </p>
              <p className="text-sm text-muted">
                Signed in <Time value={session.createdAt} />, last used{" "}
                <Time value={session.lastUsedAt} />
              </p>
            </div>
            {!session.current && (
              <Form method="post">
                <input type="hidden" name="session" value={session.idHash} />
                <Button
                  variant="secondary"
                  size="sm"
                  name="intent"
                  value="end-session"
                  disabled={busy}
                >
                  End
                  <span className="sr-only">
                    {" "}
                    the session on {session.device || "an unknown device"}
                  </span>
                </Button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <Form method="post">
          <Button
            variant="danger"
            size="sm"
            name="intent"
            value="end-other-sessions"
            disabled={busy}
          >
            End all other sessions
          </Button>
        </Form>
      )}
      <Form method="post" action="/sign-out" reloadDocument>
        <Button variant="secondary" size="sm" name="everywhere" value="1">
          Sign out everywhere
        </Button>
      </Form>
    </div>
  );
}
