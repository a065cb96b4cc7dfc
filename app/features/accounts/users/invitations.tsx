import { Form } from "@remix-run/react";
import { Check, Copy } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Field, Options, SelectField } from "~/ui/forms/field";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { useHydrated } from "~/ui/use-hydrated";
import type { Invitation } from "../invitations.server";
import { ROLE_LABELS, type RoleChoice } from "../role-choices";
import type { NewInvitation, UsersFailure } from "./users-action.server";

export function InviteForm({ error, isBusy }: { error?: UsersFailure; isBusy: boolean }) {
  const isAbout = error?.email !== undefined && error.status === 422;
  return (
    <Form
      method="post"
      action="/admin/users"
      preventScrollReset
      className="flex flex-wrap items-start gap-3"
    >
      <div className="min-w-0 grow basis-64 sm:max-w-sm">
        <Field
          label="Email"
          name="email"
          type="email"
          autoComplete="off"
          required
          defaultValue={isAbout ? error.email : ""}
          error={isAbout ? error.detail : undefined}
        />
      </div>
      <RoleField label="Role" choice="editor" />
      <Button name="intent" value="invite" busy={isBusy} className="sm:mt-[1.625rem]">
        Invite user
      </Button>
    </Form>
  );
}

/** The link for a new invitation. */
export function NewLink({ invitation, link }: { invitation: NewInvitation; link: string }) {
  const hydrated = useHydrated();
  const [isCopied, setIsCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(link).then(
      () => setIsCopied(true),
      // No error is shown, because the user can still select the link next to the button and copy it.
      () => setIsCopied(false),
    );
  return (
    <PageSection id="new-invitation" title={`Send this link to ${invitation.email}`}>
      <p className="text-sm text-muted">
        Single-use link, valid until <Time value={invitation.expiresAt} />. Anyone who has it can
        use it. Copy it now: it won’t be shown again.
      </p>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 grow basis-64">
          <Field label="Invitation link" readOnly value={link} dir="ltr" />
        </div>
        {hydrated && (
          <Button type="button" variant="secondary" onClick={copy}>
            {isCopied ? (
              <Check aria-hidden="true" className="size-4" />
            ) : (
              <Copy aria-hidden="true" className="size-4" />
            )}
            <span role="status">{isCopied ? "Copied" : "Copy"}</span>
          </Button>
        )}
      </div>
    </PageSection>
  );
}

export function InvitationList({ invitations }: { invitations: Invitation[] }) {
  return (
    <section aria-labelledby="invitations" className="flex flex-col gap-3">
      <h2 id="invitations" className="text-lg font-semibold">
        Invitations
      </h2>
      <ul className="ruled rounded-lg border border-line bg-surface">
        {invitations.map(({ id, email, choice, expiresAt, isExpired }) => (
          <li key={id} className="flex flex-wrap items-center gap-3 p-3 sm:px-4">
            <div className="min-w-0 grow basis-64">
              <p className="flex flex-wrap items-center gap-2 font-medium">
                <span className="min-w-0 wrap-anywhere">{email}</span>
                {isExpired && <Badge tone="warn">Expired</Badge>}
              </p>
              <p className="text-sm text-muted figures">
                {`${ROLE_LABELS[choice]} · ${isExpired ? "expired" : "expires"} `}
                <Time value={expiresAt} />
              </p>
            </div>
            <UserForm id={id}>
              <UserButton intent="withdraw" label={`Withdraw the invitation for ${email}`}>
                Withdraw
              </UserButton>
            </UserForm>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A form for one user, invitation or strike. */
export function UserForm({
  id,
  className = "flex items-center gap-2",
  children,
}: {
  id: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <Form method="post" action="/admin/users" preventScrollReset className={className}>
      <input type="hidden" name="id" value={id} />
      {children}
    </Form>
  );
}

export function UserButton({
  intent,
  label,
  variant = "secondary",
  children,
}: {
  intent: string;
  label?: string;
  variant?: "secondary" | "danger";
  children: ReactNode;
}) {
  return (
    <Button name="intent" value={intent} variant={variant} size="sm" aria-label={label}>
      {children}
    </Button>
  );
}

export function RoleField({
  label,
  choice,
  isLabelHidden = false,
}: {
  label: string;
  choice: RoleChoice;
  isLabelHidden?: boolean;
}) {
  return (
    <SelectField label={label} name="role" defaultValue={choice} isLabelHidden={isLabelHidden}>
      <Options labels={ROLE_LABELS} />
    </SelectField>
  );
}
