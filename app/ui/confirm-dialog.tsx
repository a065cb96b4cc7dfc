import { Form } from "@remix-run/react";
import type { ReactNode } from "react";
import { Button, ButtonLink } from "./button";
import { Dialog } from "./dialog";

/** Asks for confirmation before something is deleted, and shows what else will be deleted. */
export function ConfirmDialog({
  title,
  description,
  consequences,
  list,
  busy,
  label = "Delete",
  busyLabel = "Deleting…",
  children,
}: {
  title: string;
  description: string;
  consequences: string[];
  /** The list's URL, to which the form is sent and which opens when the dialog is closed. */
  list: string;
  busy: boolean;
  /** The label of the button that confirms. */
  label?: string;
  busyLabel?: string;
  /** Hidden fields that identify what will be deleted. */
  children: ReactNode;
}) {
  return (
    <Dialog title={title} description={description} closeTo={list}>
      <ul className="flex list-disc flex-col gap-1 pl-5 text-sm text-muted">
        {consequences.map((consequence) => (
          <li key={consequence}>{consequence}</li>
        ))}
      </ul>
      <Form
        method="post"
        action={list}
        preventScrollReset
        className="flex flex-wrap justify-end gap-3"
      >
        {children}
        <ButtonLink to={list} preventScrollReset variant="ghost">
          Cancel
        </ButtonLink>
        <Button variant="danger" busy={busy} busyLabel={busyLabel}>
          {label}
        </Button>
      </Form>
    </Dialog>
  );
}
