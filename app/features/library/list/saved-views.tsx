import { Form, Link } from "@remix-run/react";
import { Bookmark, X } from "lucide-react";
import { Button, buttonClass } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { Field } from "~/ui/forms/field";
import { MAX_VIEW_NAME_LENGTH } from "./manage-address";
import type { SavedView } from "./saved-views.server";

/** Links to the saved views. */
export function SavedViews({
  views,
  here,
}: {
  views: readonly SavedView[];
  /** The URL of the first page of the current view. */
  here: string;
}) {
  if (views.length === 0) return null;
  return (
    // A single row on phones, so that a large number of views doesn't push the list down.
    <nav aria-label="Saved views" className="-mx-3 flex overflow-x-auto sm:flex-wrap">
      {views.map(({ id, name, to }) => (
        <Link
          key={id}
          to={to}
          dir="auto"
          preventScrollReset
          aria-current={to === here ? "page" : undefined}
          className={classNames(
            buttonClass("ghost", "sm"),
            "max-w-full max-sm:shrink-0",
            to === here && "underline decoration-accent underline-offset-8",
          )}
        >
          <span className="truncate">{name}</span>
        </Link>
      ))}
    </nav>
  );
}

/** Lets users save the current view and remove saved views. */
export function SaveView({ views, here }: { views: readonly SavedView[]; here: string }) {
  return (
    <details className="group min-w-0 open:w-full">
      <summary
        className={classNames(
          buttonClass("ghost", "sm"),
          "w-fit cursor-pointer list-none [&::-webkit-details-marker]:hidden",
        )}
      >
        <Bookmark aria-hidden="true" className="size-4 max-sm:hidden" />
        Save view
      </summary>
      <div className="mt-3 flex flex-col gap-4 rounded-lg border border-line bg-surface p-4">
        <Form
          method="post"
          action={here}
          preventScrollReset
          className="flex flex-wrap items-end gap-3"
        >
          <input type="hidden" name="intent" value="save-view" />
          <div className="min-w-0 grow basis-56">
            <Field
              label="View name"
              name="name"
              required
              maxLength={MAX_VIEW_NAME_LENGTH}
              autoComplete="off"
              hint="Saves the search, filters, order, page size and columns. Saving under an existing name replaces that view."
            />
          </div>
          <Button variant="secondary">Save</Button>
        </Form>
        {views.length > 0 && (
          <ul className="flex flex-col">
            {views.map(({ id, name }) => (
              <li key={id} className="flex min-w-0 items-center justify-between gap-3 text-sm">
                <span dir="auto" className="min-w-0 truncate">
                  {name}
                </span>
                <Form method="post" action={here} preventScrollReset>
                  <input type="hidden" name="intent" value="remove-view" />
                  <input type="hidden" name="view" value={id} />
                  <Button
                    variant="ghost"
                    size="sm"
                    aria-label={`Remove the view ${name}`}
                    title={`Remove the view ${name}`}
                    className="size-11 !px-0"
                  >
                    <X aria-hidden="true" className="size-4" />
                  </Button>
                </Form>
              </li>
            ))}
          </ul>
        )}
      </div>
    </details>
  );
}
