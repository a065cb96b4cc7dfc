import { Form, Link } from "@remix-run/react";
import { formatQuantity } from "~/shared/format";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { Field } from "~/ui/forms/field";
import { ALL_NEWEST, manageHref } from "../list/manage-address";
import type { CountedTag } from "./tag-list.server";
import type { TagsFailure } from "./tags-action.server";

/** What can be done with one tag: its name, its other names, and removing it. */
export function TagDialog({
  tag: { tag, name, spellings, videos },
  aliases,
  error,
  busy,
  list,
  address,
}: {
  tag: CountedTag;
  aliases: string[];
  error: TagsFailure | undefined;
  /** The intent of the form that is being sent. */
  busy: string | undefined;
  /** The address of the list alone. */
  list: string;
  /** The address of this dialog: its forms come back to it with what was wrong. */
  address: string;
}) {
  const wrong = (field: "name" | "aliases") =>
    error?.typed?.[field] === undefined ? undefined : error.detail;
  return (
    <Dialog title={`Tag “${name}”`} description={formatQuantity(videos, "video")} closeTo={list}>
      {error && <FailureNotice toast={error.toast} detail={error.detail} />}
      <p className="text-sm text-muted">
        {spellings.length > 0 && `Also written ${spellings.join(", ")}. `}
        <Link
          to={manageHref({ ...ALL_NEWEST, search: name })}
          className="text-accent underline underline-offset-4"
        >
          Show the videos
        </Link>
      </p>
      <Form method="post" action={address} noValidate className="flex flex-col gap-3">
        <input type="hidden" name="intent" value="merge" />
        <input type="hidden" name="selected" value={tag} />
        <Field
          label="Name"
          name="name"
          defaultValue={error?.typed?.name ?? name}
          hint="The name of another tag merges the two."
          error={wrong("name")}
        />
        <KeepNames />
        <Button busy={busy === "merge"} busyLabel="Renaming..." className="self-end">
          Rename
        </Button>
      </Form>
      <Form
        method="post"
        action={address}
        noValidate
        className="flex flex-col gap-3 border-t border-line pt-4"
      >
        <input type="hidden" name="intent" value="aliases" />
        <input type="hidden" name="selected" value={tag} />
        <Field
          label="Other names"
          name="aliases"
          defaultValue={error?.typed?.aliases ?? aliases.join(", ")}
          hint="Separated by commas. A search for one finds this tag, and its address leads here."
          error={wrong("aliases")}
        />
        <Button variant="secondary" busy={busy === "aliases"} className="self-end">
          Save other names
        </Button>
      </Form>
      <Form method="post" action={address} className="flex justify-end border-t border-line pt-4">
        <input type="hidden" name="selected" value={tag} />
        <Button name="intent" value="delete" variant="danger" busy={busy === "delete"}>
          Remove from all videos
        </Button>
      </Form>
    </Dialog>
  );
}

/** Whether what is renamed can still be found by its name of before. */
export function KeepNames() {
  return (
    <label className="flex min-h-11 items-center gap-2 text-sm">
      <input type="checkbox" name="keep" value="1" defaultChecked className="size-5 shrink-0" />
      Keep the old name as another name
    </label>
  );
}
