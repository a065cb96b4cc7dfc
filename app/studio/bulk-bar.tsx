import { Form, useNavigation } from "@remix-run/react";
import { useState } from "react";
import { CATEGORY_IDS, categoryLabel } from "~/catalogue/categories";
import { Button } from "~/ui/button";
import { Field, SelectField } from "~/ui/field";
import { useHydrated } from "~/ui/use-hydrated";
import { BULK_ACTIONS, BULK_LABELS } from "./bulk";
import type { Selection } from "./use-selection";

/** The form that the checkboxes of the list belong to. */
export const BULK_FORM = "bulk";

/**
 * What to do with the selected videos. Without scripts all its fields stand there; with them only
 * those that the chosen action needs, and nothing until something is selected.
 */
export function BulkBar({
  selection,
  total,
  pageSize,
  action,
}: {
  selection: Selection;
  /** Videos of the list, on all its pages. */
  total: number;
  /** Videos of this page. */
  pageSize: number;
  action: string;
}) {
  const hydrated = useHydrated();
  const [chosen, setChosen] = useState("");
  const busy = useNavigation().formData?.get("intent") === "bulk";
  const count = selection.all ? total : selection.ids.size;
  const shown = !hydrated || count > 0;
  return (
    <Form
      id={BULK_FORM}
      method="post"
      action={action}
      preventScrollReset
      hidden={!shown}
      aria-label="Selected videos"
      className="sticky bottom-3 z-10 rounded-lg border border-line-strong bg-raised p-3 shadow-lifted sm:p-4"
    >
      <input type="hidden" name="intent" value="bulk" />
      <div className="flex flex-wrap items-end gap-3">
        {hydrated && (
          <div className="flex min-h-11 w-full items-center gap-3 sm:w-auto">
            <p role="status" className="font-semibold tabular-nums">
              {count.toLocaleString("en")} selected
            </p>
            <Button
              type="button"
              variant="ghost"
              size="sm"
              onClick={selection.clear}
              className="max-sm:ml-auto"
            >
              Clear selection
            </Button>
          </div>
        )}
        {(!hydrated || (selection.ids.size === pageSize && total > pageSize)) && (
          <label className="flex min-h-11 items-center gap-2 text-sm">
            <input
              type="checkbox"
              name="all"
              value="1"
              checked={hydrated ? selection.all : undefined}
              onChange={(event) => selection.setAll(event.currentTarget.checked)}
              className="size-5"
            />
            All {total.toLocaleString("en")} of this list
          </label>
        )}
        <div className="grow sm:ml-auto sm:grow-0">
          <SelectField
            label="With the selected videos"
            name="do"
            value={hydrated ? chosen : undefined}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            <option value="">Choose …</option>
            {BULK_ACTIONS.map((each) => (
              <option key={each} value={each}>
                {BULK_LABELS[each]}
              </option>
            ))}
          </SelectField>
        </div>
        {(!hydrated || chosen === "category") && (
          <div className="max-sm:grow">
            <SelectField label="New category" name="category">
              {CATEGORY_IDS.map((id) => (
                <option key={id} value={id}>
                  {categoryLabel(id)}
                </option>
              ))}
            </SelectField>
          </div>
        )}
        {(!hydrated || chosen.endsWith("tags")) && (
          <div className="max-sm:grow">
            <Field label="Tags, separated by commas" name="tags" />
          </div>
        )}
        <Button
          variant={chosen === "delete" ? "danger" : "primary"}
          busy={busy}
          busyLabel="Updating..."
          disabled={hydrated && chosen === ""}
        >
          Apply
        </Button>
      </div>
    </Form>
  );
}
