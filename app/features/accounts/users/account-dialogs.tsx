import { Form, useNavigation } from "@remix-run/react";
import { formatQuantity } from "~/shared/format";
import { Button, ButtonLink } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { SelectField } from "~/ui/forms/field";
import { ConfirmField, usePasskeyConfirmation } from "../passkeys/confirm-field";
import type { UsersFailure } from "./users-action.server";

const USERS = "/admin/users";

export interface AccountDialog {
  kind: "delete" | "transfer";
  id: string;
  email: string;
  videos: number;
  /** The number of the account's videos that are in the trash. */
  inTrash: number;
  receivers: { id: string; email: string }[];
  receiver: string | undefined;
  /** Whether the owner confirms with a password. Otherwise they confirm with a passkey. */
  hasPassword: boolean;
}

export const accountDialogHref = (kind: AccountDialog["kind"], id: string) =>
  `${USERS}?${kind}=${encodeURIComponent(id)}`;

export function AccountDialogs({ dialog, error }: { dialog: AccountDialog; error?: UsersFailure }) {
  return dialog.kind === "delete" ? (
    <DeleteDialog dialog={dialog} error={error} />
  ) : (
    <TransferDialog dialog={dialog} error={error} />
  );
}

function DeleteDialog({ dialog, error }: { dialog: AccountDialog; error?: UsersFailure }) {
  const { id, email, videos, hasPassword } = dialog;
  const busy = useNavigation().formData?.get("intent") === "delete-account";
  const confirm = usePasskeyConfirmation(!hasPassword);
  const isIdentity = error?.isIdentity ?? false;
  return (
    <Dialog title="Delete this account?" description={email} closeTo={USERS}>
      <ul className="flex list-disc flex-col gap-1 pl-5 text-sm text-muted">
        <li>The user will be signed out everywhere and won’t be able to sign in again.</li>
        <li>
          Their API tokens, invitations, preview links, queued imports, templates and saved views
          will be deleted.
        </li>
        {videos > 0 && (
          <li>Their videos will keep their URLs. Videos on hold will stay on hold.</li>
        )}
        <li>This can’t be undone.</li>
      </ul>
      <Form
        method="post"
        action={accountDialogHref("delete", id)}
        preventScrollReset
        onSubmit={confirm}
        className="flex flex-col gap-4"
      >
        <input type="hidden" name="intent" value="delete-account" />
        <input type="hidden" name="id" value={id} />
        {videos > 0 && <ReceiverField dialog={dialog} error={error} />}
        <ConfirmField
          hasPassword={hasPassword}
          label="Your password"
          error={isIdentity ? error?.detail : undefined}
        />
        {error && !isIdentity && <Failure error={error} />}
        <Buttons label="Delete account" busyLabel="Deleting…" busy={busy} />
      </Form>
    </Dialog>
  );
}

function TransferDialog({ dialog, error }: { dialog: AccountDialog; error?: UsersFailure }) {
  const { id, email, videos } = dialog;
  const busy = useNavigation().formData?.get("intent") === "transfer-videos";
  return (
    <Dialog title="Transfer videos" description={`From ${email}`} closeTo={USERS}>
      {videos === 0 ? (
        <p className="text-sm text-muted">This account has no videos.</p>
      ) : (
        <Form
          method="post"
          action={accountDialogHref("transfer", id)}
          preventScrollReset
          className="flex flex-col gap-4"
        >
          <input type="hidden" name="intent" value="transfer-videos" />
          <input type="hidden" name="id" value={id} />
          <p className="text-sm text-muted">
            The videos will keep their URLs. Videos on hold will stay on hold.
          </p>
          <ReceiverField dialog={dialog} error={error} />
          {error && <Failure error={error} />}
          <Buttons label="Transfer videos" busyLabel="Transferring…" busy={busy} />
        </Form>
      )}
    </Dialog>
  );
}

function ReceiverField({ dialog, error }: { dialog: AccountDialog; error?: UsersFailure }) {
  const { videos, inTrash, receivers } = dialog;
  const trash = inTrash > 0 ? `, ${inTrash} of them in the trash` : "";
  return (
    <SelectField
      label="New owner of the videos"
      name="receiver"
      required
      defaultValue={error?.receiver ?? dialog.receiver ?? ""}
      hint={`${formatQuantity(videos, "video")}${trash}`}
    >
      <option value="">Choose an account</option>
      {receivers.map(({ id, email }) => (
        <option key={id} value={id}>
          {email}
        </option>
      ))}
    </SelectField>
  );
}

function Failure({ error }: { error: UsersFailure }) {
  return (
    <p role="alert" className="text-sm text-bad">
      {error.detail ?? error.toast.description}
    </p>
  );
}

function Buttons({ label, busyLabel, busy }: { label: string; busyLabel: string; busy: boolean }) {
  return (
    <div className="flex flex-wrap justify-end gap-3">
      <ButtonLink to={USERS} preventScrollReset variant="ghost">
        Cancel
      </ButtonLink>
      <Button variant="danger" busy={busy} busyLabel={busyLabel}>
        {label}
      </Button>
    </div>
  );
}
