import { Form, useNavigate } from "@remix-run/react";
import { Search, SlidersHorizontal } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { shownCategories } from "~/shared/categories";
import { Button, ButtonLink, buttonClass } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { CheckboxField, Field, SelectField } from "~/ui/forms/field";
import { useHydrated } from "~/ui/use-hydrated";
import {
  availableSorts,
  COLUMN_LABELS,
  COLUMNS,
  DEFAULT_PAGE_SIZE,
  hasMoreFilters,
  isFiltered,
  type ManageView,
  manageHref,
  PAGE_SIZES,
  PROBLEM_LABELS,
  PROBLEMS,
  readManageView,
  SORT_LABELS,
  STATUS_LABELS,
  statusFilter,
  TITLE_COLUMN,
  withoutFilters,
} from "./manage-address";

/**
 * The list's search field, filters and sort order, as a form that works without JavaScript. With JavaScript, a selected
 * option takes effect immediately, and parameters at their defaults are left out of the URL.
 */
export function FilterBar({
  view,
  uploaders,
}: {
  view: ManageView;
  uploaders?: readonly Uploader[];
}) {
  const navigate = useNavigate();
  const [toggled, setToggled] = useState<boolean>();
  const isOpen = toggled ?? hasMoreFilters(view);
  const filtered = isFiltered(view);
  const address = manageHref({ ...view, page: 1 });
  const form = useRef<HTMLFormElement>(null);
  /**
   * The name of the select element that the user changed. In the form for the new view, the element with this name gets
   * the focus.
   */
  const changed = useRef("");

  // If the URL changed, the form was replaced.
  useEffect(() => {
    const field = form.current?.elements.namedItem(changed.current);
    changed.current = "";
    if (field instanceof HTMLElement) field.focus({ preventScroll: true });
  }, [address]);

  function applyFilters(form: HTMLFormElement) {
    const values = new URLSearchParams();
    for (const [name, value] of new FormData(form)) values.append(name, String(value));
    navigate(manageHref(readManageView(values)), { preventScrollReset: true });
  }

  return (
    <div className="@container/filters">
      <Form
        role="search"
        action="/admin"
        // Every view has a separate form, because the fields are uncontrolled.
        key={address}
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          applyFilters(event.currentTarget);
        }}
        onChange={(event) => {
          if (!(event.target instanceof HTMLSelectElement)) return;
          changed.current = event.target.name;
          applyFilters(event.currentTarget);
        }}
        className="grid grid-cols-[repeat(auto-fit,minmax(min(8.5rem,100%),1fr))] items-end gap-3 @xl/filters:grid-cols-4 @min-[58rem]/filters:grid-cols-[minmax(14rem,1fr)_10rem_11rem_10rem_auto]"
      >
        <input type="hidden" name="tab" value="manage" />
        <div className="col-span-full @min-[58rem]/filters:col-span-1">
          <Field
            label="Search"
            type="search"
            name="search"
            placeholder="Title or tag"
            defaultValue={view.search}
          />
        </div>
        <SelectField label="Status" name="status" defaultValue={statusFilter(view) ?? ""}>
          <option value="">All</option>
          {Object.entries(STATUS_LABELS).map(([status, label]) => (
            <option key={status} value={status}>
              {label}
            </option>
          ))}
        </SelectField>
        <SelectField label="Category" name="category" defaultValue={view.category ?? ""}>
          <option value="">All</option>
          {shownCategories().map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </SelectField>
        <SelectField label="Sort by" name="sort" defaultValue={view.sort}>
          {availableSorts(view).map((sort) => (
            <option key={sort} value={sort}>
              {SORT_LABELS[sort]}
            </option>
          ))}
        </SelectField>
        <div
          className={classNames(
            "flex flex-wrap gap-2",
            // The buttons are placed on a separate row if there isn't enough room for them.
            filtered ? "col-span-full" : "has-[details[open]]:col-span-full",
            "@min-[72rem]/filters:[&:not(:has(details[open]))]:col-span-1",
          )}
        >
          <Button variant="secondary">
            <Search aria-hidden="true" className="size-4" />
            Filter
          </Button>
          {filtered && (
            <ButtonLink to={manageHref(withoutFilters(view))} preventScrollReset variant="ghost">
              Clear
            </ButtonLink>
          )}
          <MoreFilters
            view={view}
            uploaders={uploaders}
            isOpen={isOpen}
            // The browser also fires this event for a details element that is initially open.
            onToggle={(open) => open !== isOpen && setToggled(open)}
          />
        </div>
      </Form>
    </div>
  );
}

/** A user who has uploaded videos. */
export interface Uploader {
  id: string;
  email: string;
}

/** The less common filters, the page size and the columns, as fields of the surrounding form. */
function MoreFilters({
  view,
  uploaders,
  isOpen,
  onToggle,
}: {
  view: ManageView;
  /** Undefined for users who can see only their own videos. */
  uploaders: readonly Uploader[] | undefined;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
}) {
  const shown = view.columns ?? COLUMNS;
  return (
    <details
      open={isOpen}
      onToggle={(event) => onToggle(event.currentTarget.open)}
      className="group min-w-0 open:w-full"
    >
      <summary
        title="More filters"
        className={classNames(
          buttonClass("ghost"),
          "w-fit cursor-pointer list-none @max-[66rem]/filters:px-3 [&::-webkit-details-marker]:hidden",
        )}
      >
        <SlidersHorizontal aria-hidden="true" className="size-4" />
        <span className="@max-[66rem]/filters:group-[:not([open])]:sr-only">More filters</span>
      </summary>
      <div className="mt-3 flex flex-col gap-4 rounded-lg border border-line bg-surface p-4">
        <div className="grid grid-cols-[repeat(auto-fit,minmax(min(11rem,100%),1fr))] gap-3">
          <DayField label="Added on or after" name="from" value={view.from} />
          <DayField label="Added on or before" name="to" value={view.to} isLast />
          {uploaders && (
            <SelectField label="Uploader" name="uploader" defaultValue={view.uploader ?? ""}>
              <option value="">Anyone</option>
              {withSelected(uploaders, view.uploader).map(({ id, email }) => (
                <option key={id} value={id}>
                  {email}
                </option>
              ))}
            </SelectField>
          )}
          <SelectField
            label="Videos per page"
            name="size"
            defaultValue={view.size ?? DEFAULT_PAGE_SIZE}
          >
            {PAGE_SIZES.map((size) => (
              <option key={size} value={size}>
                {size}
              </option>
            ))}
          </SelectField>
        </div>
        <CheckboxGroup legend="Only videos with these problems">
          {PROBLEMS.map((problem) => (
            <CheckboxField
              key={problem}
              name={problem}
              label={PROBLEM_LABELS[problem]}
              defaultChecked={view.problems?.includes(problem)}
            />
          ))}
        </CheckboxGroup>
        <CheckboxGroup legend="Columns">
          <input type="hidden" name="columns" value={TITLE_COLUMN} />
          {COLUMNS.map((column) => (
            <CheckboxField
              key={column}
              name="columns"
              value={column}
              label={COLUMN_LABELS[column]}
              defaultChecked={shown.includes(column)}
            />
          ))}
        </CheckboxGroup>
      </div>
    </details>
  );
}

/**
 * Adds the selected uploader to the list if necessary. A URL may refer to any user, or even contain an id that doesn't
 * exist.
 */
function withSelected(uploaders: readonly Uploader[], selected: string | undefined) {
  if (!selected || uploaders.some(({ id }) => id === selected)) return uploaders;
  return [...uploaders, { id: selected, email: "User without videos" }];
}

function CheckboxGroup({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset className="flex flex-wrap gap-x-5">
      <legend className="text-sm font-medium">{legend}</legend>
      {children}
    </fieldset>
  );
}

/**
 * A date in the browser's time zone. It is sent as the UTC timestamp at which the day begins or, for the last day of a
 * range, at which it ends. Without JavaScript, the date is sent as entered and is interpreted as a date in UTC.
 *
 * @param value the value from the URL: a date in UTC, or an ISO 8601 UTC timestamp.
 */
function DayField({
  label,
  name,
  value = "",
  isLast = false,
}: {
  label: string;
  name: string;
  value?: string;
  isLast?: boolean;
}) {
  const hydrated = useHydrated();
  const [sent, setSent] = useState(value);
  const zone = hydrated ? Intl.DateTimeFormat().resolvedOptions().timeZone : "UTC";
  return (
    <>
      <Field
        // The key creates a new field once the browser's time zone is known, because the time zone changes how the
        // value is shown.
        key={zone}
        label={label}
        type="date"
        // Leaves room for the year next to the calendar icon on a phone when text is enlarged to 200%.
        className="!px-2"
        name={hydrated ? undefined : name}
        defaultValue={dayOf(value, isLast, hydrated)}
        hint={hydrated ? `Your time zone: ${zone.replaceAll("_", " ")}.` : "Time zone: UTC."}
        onChange={(event) => setSent(timestampOf(event.currentTarget.value, isLast))}
      />
      {hydrated && <input type="hidden" name={name} value={sent} />}
    </>
  );
}

function dayOf(value: string, isLast: boolean, isLocal: boolean): string {
  if (!value.includes("T")) return value;
  const time = new Date(Date.parse(value) - (isLast ? 1 : 0));
  const offset = isLocal ? time.getTimezoneOffset() * 60_000 : 0;
  return new Date(time.getTime() - offset).toISOString().slice(0, "2030-01-31".length);
}

/** Computes the end from the calendar, because days on which the clocks change don't have 24 hours. */
function timestampOf(day: string, isLast: boolean): string {
  const [year, month, date] = day.split("-").map(Number);
  if (!year || !month || !date) return "";
  const time = new Date(year, month - 1, date + (isLast ? 1 : 0));
  return Number.isNaN(time.getTime()) ? "" : time.toISOString();
}
