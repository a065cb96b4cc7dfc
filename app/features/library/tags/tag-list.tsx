import { Form, Link } from "@remix-run/react";
import { useState } from "react";
import { formatQuantity } from "~/shared/format";
import { Button } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { Dialog } from "~/ui/dialog";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { Field } from "~/ui/forms/field";
import { useHydrated } from "~/ui/use-hydrated";
import { ALL_NEWEST, manageHref } from "../list/manage-address";
import type { CountedTag } from "./tag-list.server";
import type { TagsFailure } from "./tags-action.server";
import { type TagsView, tagsHref } from "./tags-address";

const FORM = "tags";

/** The tags of a page, with a box each, and what can be done with those that are checked. */
export function TagList({
  tags,
  aliases,
  view,
  busy,
}: {
  tags: CountedTag[];
  /** The other names, by folded tag. */
  aliases: Record<string, string[]>;
  view: TagsView;
  /** The intent of the form that is being sent. */
  busy: string | undefined;
}) {
  const hydrated = useHydrated();
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set());
  const shown = tags.filter(({ tag }) => checked.has(tag));
  const toggle = (tag: string) => {
    const next = new Set(checked);
    if (!next.delete(tag)) next.add(tag);
    setChecked(next);
  };
  return (
    <>
      <ul aria-label="Tags" className="ruled rounded-lg border border-line bg-surface">
        {tags.map((each) => (
          <li key={each.tag} className="flex items-center gap-3 px-3 py-1 sm:px-4">
            <label className="grid size-11 shrink-0 place-items-center">
              <input
                type="checkbox"
                form={FORM}
                name="selected"
                value={each.tag}
                aria-label={`Select ${each.name}`}
                checked={hydrated ? checked.has(each.tag) : undefined}
                onChange={() => toggle(each.tag)}
                className="size-5 shrink-0"
              />
            </label>
            <div className="min-w-0 grow py-1">
              <Link
                to={tagsHref(view, each.tag)}
                preventScrollReset
                dir="auto"
                className="flex min-h-11 min-w-0 items-center font-medium hover:text-accent mouse:min-h-0"
              >
                <span className="min-w-0 break-words">{each.name}</span>
              </Link>
              <OtherNames spellings={each.spellings} aliases={aliases[each.tag] ?? []} />
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
      <Form
        id={FORM}
        method="post"
        action={tagsHref(view)}
        preventScrollReset
        hidden={hydrated && shown.length === 0}
        aria-label="Selected tags"
        onSubmit={() => setChecked(new Set())}
        className={classNames(
          "flex flex-wrap items-end gap-3 rounded-lg border border-line-strong bg-raised px-3 py-2 lifted sm:px-4",
          hydrated && "bottom-3 z-10 [@media(height>=40rem)]:sticky",
        )}
      >
        <p role="status" className="flex min-h-11 items-center font-semibold figures">
          {hydrated ? `${shown.length} selected` : "With the selected tags"}
        </p>
        <div className="min-w-0 grow basis-40 sm:max-w-xs">
          <Field
            // The most used of them is what is mostly meant.
            key={shown[0]?.name}
            label="Merge into"
            name="name"
            defaultValue={shown[0]?.name}
          />
        </div>
        <KeepNames />
        <div className="flex flex-wrap gap-3">
          <Button name="intent" value="merge" busy={busy === "merge"} busyLabel="Merging...">
            Merge
          </Button>
          <Button name="intent" value="delete" variant="danger" busy={busy === "delete"}>
            Remove
          </Button>
        </div>
      </Form>
    </>
  );
}

function OtherNames({ spellings, aliases }: { spellings: string[]; aliases: string[] }) {
  const notes = [
    spellings.length > 0 && `Also written ${spellings.slice(0, 5).join(", ")}`,
    aliases.length > 0 && `Other names: ${aliases.slice(0, 10).join(", ")}`,
  ].filter(Boolean);
  if (notes.length === 0) return null;
  return <p className="pb-1 text-xs break-words text-muted">{notes.join(" · ")}</p>;
}

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
function KeepNames() {
  return (
    <label className="flex min-h-11 items-center gap-2 text-sm">
      <input type="checkbox" name="keep" value="1" defaultChecked className="size-5 shrink-0" />
      Keep the old name as another name
    </label>
  );
}
