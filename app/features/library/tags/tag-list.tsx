import { Form, Link } from "@remix-run/react";
import { formatQuantity } from "~/shared/format";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { CheckboxField, Field } from "~/ui/forms/field";
import { DEFAULT_VIEW, manageHref } from "../list/manage-address";
import { SelectionBox, SelectionForm, useSelection } from "../list/selection";
import type { CountedTag } from "./tag-list.server";
import type { TagsFailure } from "./tags-action.server";
import { type TagsView, tagsHref } from "./tags-address";

const FORM = "tags";
/** Lets visitors find a renamed tag by its old name. */
const KEEP_AS_ALIAS = (
  <CheckboxField label="Keep the old name as an alias" name="keep" defaultChecked />
);

/** The tags on a page with checkboxes, and the actions for the selected ones. */
export function TagList({
  tags,
  aliases,
  view,
  busy,
}: {
  tags: CountedTag[];
  /** The aliases, by case-folded tag. */
  aliases: Record<string, string[]>;
  view: TagsView;
  /** The intent of the form that is currently being sent. */
  busy: string | undefined;
}) {
  const selection = useSelection(tags.map(({ tag }) => ({ id: tag })));
  const first = tags.find(({ tag }) => selection.ids.has(tag));
  return (
    <>
      <ul aria-label="Tags" className="ruled rounded-lg border border-line bg-surface">
        {tags.map((each) => (
          <li key={each.tag} className="flex items-center gap-3 px-3 py-1 sm:px-4">
            <SelectionBox form={FORM} id={each.tag} label={each.name} selection={selection} />
            <div className="min-w-0 grow py-1">
              <Link
                to={tagsHref(view, each.tag)}
                preventScrollReset
                dir="auto"
                className="flex min-h-11 min-w-0 items-center font-medium hover:text-accent mouse:min-h-0"
              >
                <span className="min-w-0 break-words">{each.name}</span>
              </Link>
              <TagNotes spellings={each.spellings} aliases={aliases[each.tag] ?? []} />
            </div>
            <p className="shrink-0 text-right text-sm text-muted figures">
              {formatQuantity(each.videos, "video")}
              {each.published < each.videos && (
                <span className="block text-xs">{each.published.toLocaleString("en")} public</span>
              )}
            </p>
          </li>
        ))}
      </ul>
      <SelectionForm id={FORM} action={tagsHref(view)} noun="tags" selection={selection}>
        <div className="min-w-0 grow basis-40 sm:max-w-xs">
          <Field
            // Suggests the most used of the selected tags.
            key={first?.name}
            label="Merge into"
            name="name"
            defaultValue={first?.name}
          />
        </div>
        {KEEP_AS_ALIAS}
        <div className="flex flex-wrap gap-3">
          <Button name="intent" value="merge" busy={busy === "merge"} busyLabel="Merging...">
            Merge
          </Button>
          <Button name="intent" value="delete" variant="danger" busy={busy === "delete"}>
            Remove
          </Button>
        </div>
      </SelectionForm>
    </>
  );
}

function TagNotes({ spellings, aliases }: { spellings: string[]; aliases: string[] }) {
  const notes = [
    spellings.length > 0 && `Other spellings: ${spellings.slice(0, 5).join(", ")}`,
    aliases.length > 0 && `Aliases: ${aliases.slice(0, 10).join(", ")}`,
  ].filter(Boolean);
  if (notes.length === 0) return null;
  return <p className="pb-1 text-xs break-words text-muted">{notes.join(" · ")}</p>;
}

/** The dialog that renames, merges or removes a tag, and sets its aliases. */
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
  /** The intent of the form that is currently being sent. */
  busy: string | undefined;
  /** The URL of the list without a dialog. */
  list: string;
  /** The URL of this dialog, to which its forms return if there are errors. */
  address: string;
}) {
  const errorOf = (field: "name" | "aliases") =>
    error?.typed?.[field] === undefined ? undefined : error.detail;
  return (
    <Dialog title={`Tag “${name}”`} description={formatQuantity(videos, "video")} closeTo={list}>
      {error && <FailureNotice toast={error.toast} detail={error.detail} />}
      <p className="text-sm text-muted">
        {spellings.length > 0 && `Other spellings: ${spellings.join(", ")}. `}
        <Link
          to={manageHref({ ...DEFAULT_VIEW, search: name })}
          className="text-accent underline underline-offset-4"
        >
          Show videos
        </Link>
      </p>
      <Form method="post" action={address} noValidate className="flex flex-col gap-3">
        <input type="hidden" name="intent" value="merge" />
        <input type="hidden" name="selected" value={tag} />
        <Field
          label="Name"
          name="name"
          defaultValue={error?.typed?.name ?? name}
          hint="Using an existing tag’s name merges the two."
          error={errorOf("name")}
        />
        {KEEP_AS_ALIAS}
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
          label="Aliases"
          name="aliases"
          defaultValue={error?.typed?.aliases ?? aliases.join(", ")}
          hint="Comma-separated. Searching for an alias finds this tag, and the alias’s page redirects to it."
          error={errorOf("aliases")}
        />
        <Button variant="secondary" busy={busy === "aliases"} className="self-end">
          Save aliases
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
