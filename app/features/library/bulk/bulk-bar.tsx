import { Form, useNavigation } from "@remix-run/react";
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { usePermissions } from "~/features/permissions/use-permissions";
import { shownCategories } from "~/shared/categories";
import { formatQuantity, nameTitles } from "~/shared/format";
import { Button, ButtonLink } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { Dialog } from "~/ui/dialog";
import { DateTimeField } from "~/ui/forms/date-time-field";
import { Field, SelectField } from "~/ui/forms/field";
import { useHydrated } from "~/ui/use-hydrated";
import { DifferenceTable } from "../difference-table";
import type { Selection } from "../list/selection";
import { SeriesNameField } from "../series/series-fields";
import { BULK_ACTIONS, BULK_FORM, BULK_TEXTS, type BulkPreview, onHoldMessage } from "./bulk";

/**
 * The bulk actions. Without JavaScript, all fields are shown below the list. With JavaScript, the bar sticks to the
 * bottom of the screen while videos are selected, and shows only the fields for the selected action. It doesn't stick
 * if the screen isn't tall enough.
 */
export function BulkBar({
  selection,
  total,
  pageSize,
  series,
  action,
}: {
  selection: Selection;
  /** The number of videos on all pages combined. */
  total: number;
  /** The number of videos on this page. */
  pageSize: number;
  /** Suggested series titles. */
  series: readonly string[];
  action: string;
}) {
  const hydrated = useHydrated();
  const may = usePermissions();
  const [selected, setSelected] = useState("");
  const sent = useNavigation().formData;
  const busy = sent?.get("intent") === "bulk";
  const busyVerb = sent?.has("confirmed") ? "Updating" : "Checking";
  const count = selection.all ? total : selection.ids.size;
  const shown = !hydrated || count > 0;
  const canBeAll = selection.ids.size === pageSize && total > pageSize;
  useEffect(() => {
    if (count === 0) setSelected("");
  }, [count]);
  return (
    <Form
      id={BULK_FORM}
      method="post"
      action={action}
      preventScrollReset
      hidden={!shown}
      aria-label="Selected videos"
      className={classNames(
        "rounded-lg border border-line-strong bg-raised px-3 py-2 lifted sm:px-4",
        hydrated && "bottom-3 z-10 [@media(height>=40rem)]:sticky",
      )}
    >
      <input type="hidden" name="intent" value="bulk" />
      <input type="hidden" name="preview" value="1" />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {hydrated && (
          <div className="flex min-h-11 items-center gap-1">
            <p role="status" className="font-semibold whitespace-nowrap figures">
              {busy
                ? `${busyVerb} ${formatQuantity(count, "video")}…`
                : `${count.toLocaleString("en")} selected`}
            </p>
            <Button
              type="button"
              variant="ghost"
              size="sm"
              aria-label="Clear selection"
              title="Clear selection"
              onClick={selection.clear}
              className="size-11 !px-0"
            >
              <X aria-hidden="true" className="size-4" />
            </Button>
          </div>
        )}
        {(!hydrated || canBeAll) && (
          <label
            className={classNames(
              "flex min-h-11 items-center gap-2 text-sm",
              !hydrated && "self-end",
              hydrated && selected === "" && "max-sm:hidden",
              hydrated && "max-sm:order-1 max-sm:w-full",
            )}
          >
            <input
              type="checkbox"
              name="all"
              value="1"
              checked={hydrated ? selection.all : undefined}
              onChange={(event) => selection.setAll(event.currentTarget.checked)}
              className="size-5 shrink-0"
            />
            Select all {total.toLocaleString("en")} videos
          </label>
        )}
        <div
          className={classNames(
            "min-w-0 grow basis-32 sm:grow-0 sm:basis-auto",
            hydrated && "sm:ml-auto",
          )}
        >
          <SelectField
            label="Bulk actions"
            isLabelHidden={hydrated}
            name="do"
            value={hydrated ? selected : undefined}
            onChange={(event) => setSelected(event.currentTarget.value)}
          >
            <option value="">{hydrated ? "Bulk actions" : "Choose an action"}</option>
            {BULK_ACTIONS.filter((each) => may(`/admin bulk ${each}`)).map((each) => (
              <option key={each} value={each}>
                {BULK_TEXTS[each].label}
              </option>
            ))}
          </SelectField>
        </div>
        {(!hydrated || selected === "category") && (
          <div className="max-sm:order-2 max-sm:grow">
            <SelectField label="New category" name="category" isLabelHidden={hydrated}>
              {shownCategories().map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </SelectField>
          </div>
        )}
        {(!hydrated || selected.endsWith("tags")) && (
          <div className="max-sm:order-2 max-sm:grow">
            <Field
              label="Tags, comma-separated"
              name="tags"
              isLabelHidden={hydrated}
              placeholder={hydrated ? "Tags, comma-separated" : undefined}
            />
          </div>
        )}
        {(hydrated ? selected.endsWith("series") : may("/admin bulk add-series")) && (
          <div className="max-sm:order-2 max-sm:grow">
            <SeriesNameField
              label="Series"
              name="series"
              suggested={series}
              isLabelHidden={hydrated}
              placeholder={hydrated ? "Series name" : undefined}
            />
          </div>
        )}
        {(hydrated ? selected === "schedule" : may("/admin bulk schedule")) && (
          <fieldset className="grid w-full min-w-0 grid-cols-1 gap-3 max-sm:order-2 sm:grid-cols-2">
            <legend className="sr-only">Schedule</legend>
            <DateTimeField
              label="Publish at"
              name="publishAt"
              value=""
              hint="Leave blank to keep the current value."
            />
            <DateTimeField
              label="Hide at"
              name="unpublishAt"
              value=""
              hint="Leave blank to keep the current value."
            />
          </fieldset>
        )}
        <Button
          variant={selected === "delete" ? "danger" : "primary"}
          busy={busy}
          busyLabel={`${busyVerb}...`}
          disabled={hydrated && selected === ""}
          className={classNames(
            "max-sm:order-3",
            hydrated && selected === "" && "max-sm:hidden",
            !hydrated && "self-end",
          )}
        >
          Apply
        </Button>
      </div>
    </Form>
  );
}

/** The preview of a bulk action. */
export function BulkPreviewDialog({
  preview,
  list,
}: {
  preview: BulkPreview;
  /** The URL of the list. The form is submitted to this URL, and closing the dialog returns the user to it. */
  list: string;
}) {
  const { action, ids, fields, rows, changed, unchanged, gone, refused, because } = preview;
  const busy = useNavigation().formData?.has("confirmed") ?? false;
  const notes = [
    unchanged > 0 && `${formatQuantity(unchanged, "video")} won’t change.`,
    gone > 0 && `${formatQuantity(gone, "video")} no longer ${gone === 1 ? "exists" : "exist"}.`,
    refused.length > 0 &&
      `${formatQuantity(refused.length, "video")} can’t be changed: ${nameTitles(refused)}.`,
    because,
    onHoldMessage(preview),
  ].filter((note) => typeof note === "string");
  return (
    <Dialog
      title={BULK_TEXTS[action].label}
      description={
        changed > 0 ? `${formatQuantity(changed, "video")} will change.` : "Nothing will change."
      }
      closeTo={list}
      wide
    >
      {rows.length > 0 && (
        <DifferenceTable
          label="Changes"
          headings={["Video", "Before", "After"]}
          rows={rows}
          empty="None"
        />
      )}
      {changed > rows.length && (
        <p className="text-sm text-muted figures">
          {`…and ${(changed - rows.length).toLocaleString("en")} more.`}
        </p>
      )}
      {notes.length > 0 && (
        <ul className="flex list-disc flex-col gap-1 pl-5 text-sm text-muted figures">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <Form
        method="post"
        action={list}
        preventScrollReset
        className="flex flex-wrap justify-end gap-3"
      >
        <input type="hidden" name="intent" value="bulk" />
        <input type="hidden" name="do" value={action} />
        <input type="hidden" name="confirmed" value="1" />
        {fields.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {ids.map((id) => (
          <input key={id} type="hidden" name="selected" value={id} />
        ))}
        <ButtonLink to={list} preventScrollReset variant="ghost">
          Cancel
        </ButtonLink>
        <Button busy={busy} busyLabel="Updating..." disabled={changed === 0}>
          {`Apply to ${formatQuantity(changed, "video")}`}
        </Button>
      </Form>
    </Dialog>
  );
}
