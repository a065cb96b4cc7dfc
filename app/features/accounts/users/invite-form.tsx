import { Form } from "@remix-run/react";
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "~/ui/button";
import { Field } from "~/ui/forms/field";
import { Time } from "~/ui/time";
import { useHydrated } from "~/ui/use-hydrated";
import { RoleField } from "./role-field";
import type { NewInvitation, UsersFailure } from "./users-action.server";

/** Invites somebody by their e-mail address. */
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
          label="E-mail of the new user"
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
        Invite
      </Button>
    </Form>
  );
}

/** The link of an invitation that was made just now. */
export function NewLink({ invitation, link }: { invitation: NewInvitation; link: string }) {
  const hydrated = useHydrated();
  const [isCopied, setIsCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(link).then(
      () => setIsCopied(true),
      // The text stands beside the button and can be selected.
      () => setIsCopied(false),
    );
  return (
    <section
      aria-labelledby="new-invitation"
      className="flex flex-col gap-3 rounded-lg border border-line-strong bg-raised p-4 sm:p-5"
    >
      <h2 id="new-invitation" className="font-semibold wrap-anywhere">
        {`Send this link to ${invitation.email}`}
      </h2>
      <p className="text-sm text-muted">
        It works once, until <Time value={invitation.expiresAt} />, for whoever has it. It is shown
        only now.
      </p>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 grow basis-64">
          <Field label="Link of the invitation" readOnly value={link} dir="ltr" />
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
    </section>
  );
}
