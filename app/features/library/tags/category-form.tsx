import { Form } from "@remix-run/react";
import { ChevronDown, ChevronUp } from "lucide-react";
import type { ReactNode } from "react";
import type { CategoryName } from "~/shared/categories";
import { Button } from "~/ui/button";
import { Field } from "~/ui/forms/field";
import type { CategoriesFailure } from "./category-names.server";

/** What the categories are called, and their order. Their addresses and videos stay as they are. */
export function CategoryForm({
  categories,
  error,
  action,
  busy,
}: {
  categories: readonly CategoryName[];
  /** Why what was sent was rejected. */
  error: CategoriesFailure | undefined;
  action: string;
  busy: boolean;
}) {
  return (
    <section aria-labelledby="categories" className="flex flex-col gap-4 border-t border-line pt-6">
      <div>
        <h2 id="categories" className="text-lg font-semibold">
          Categories
        </h2>
        <p className="text-sm text-muted">
          What visitors read, in the order of the selector. Addresses and videos stay as they are.
        </p>
      </div>
      <Form
        // Another order is another form.
        key={JSON.stringify(categories)}
        method="post"
        action={action}
        preventScrollReset
        noValidate
        className="flex max-w-xl flex-col gap-3"
      >
        <input type="hidden" name="intent" value="categories" />
        {/* Enter in a field presses the first button of a form: this one, which nobody sees. */}
        <button type="submit" tabIndex={-1} aria-hidden="true" className="sr-only">
          Save categories
        </button>
        <ol className="flex flex-col gap-3">
          {categories.map(({ id, label }, index) => (
            <li key={id} className="flex items-end gap-2">
              <div className="min-w-0 grow">
                <Field
                  label={`Label of ${id}`}
                  name={`label.${id}`}
                  defaultValue={error?.labels[id] ?? label}
                  error={error?.wrong[id]}
                />
              </div>
              <Move id={id} direction="up" label={label} isEnd={index === 0}>
                <ChevronUp />
              </Move>
              <Move id={id} direction="down" label={label} isEnd={index === categories.length - 1}>
                <ChevronDown />
              </Move>
            </li>
          ))}
        </ol>
        <div className="flex flex-wrap gap-3">
          <Button busy={busy} busyLabel="Saving...">
            Save categories
          </Button>
          <Button name="reset" value="1" variant="ghost">
            Reset to the first labels
          </Button>
        </div>
      </Form>
    </section>
  );
}

function Move({
  id,
  direction,
  label,
  isEnd,
  children,
}: {
  id: string;
  direction: "up" | "down";
  label: string;
  /** There is nothing to change places with. */
  isEnd: boolean;
  children: ReactNode;
}) {
  return (
    <Button
      name="move"
      value={`${id}:${direction}`}
      variant="ghost"
      size="sm"
      disabled={isEnd}
      aria-label={`Move ${label} ${direction}`}
      title={`Move ${label} ${direction}`}
      className="size-11 shrink-0 !px-0 [&_svg]:size-5"
    >
      {children}
    </Button>
  );
}
