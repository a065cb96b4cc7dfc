import { Form, Link } from "@remix-run/react";
import { useState } from "react";
import { formatQuantity } from "~/shared/format";
import { Button } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { Field } from "~/ui/forms/field";
import { useHydrated } from "~/ui/use-hydrated";
import { KeepNames } from "./tag-dialog";
import type { CountedTag } from "./tag-list.server";
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
