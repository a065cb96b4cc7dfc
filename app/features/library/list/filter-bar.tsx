import { Form, useNavigate } from "@remix-run/react";
import { Search, SlidersHorizontal } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { shownCategories } from "~/shared/categories";
import { Button, ButtonLink, buttonClass } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { CheckboxField, Field, SelectField } from "~/ui/forms/field";
import { useHydrated } from "~/ui/use-hydrated";
import {
  COLUMN_LABELS,
  COLUMNS,
  cleared,
  DEFAULT_PAGE_SIZE,
  hasMoreFilters,
  isFiltered,
  type ManageView,
  manageHref,
  namedStatus,
  PAGE_SIZES,
  PROBLEM_LABELS,
  PROBLEMS,
  readManageView,
  SORT_LABELS,
  STATUS_LABELS,
  sortsOf,
  TITLE_COLUMN,
} from "./manage-address";

/**
 * Search, filters and order of the list. A form that the browser can send by itself; with scripts a
 * choice takes effect at once, and parameters at their defaults are left out of the address.
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
  /** The field that was chosen from: the form of the new view has another in its place. */
  const changed = useRef("");

  // Whenever the form is another one.
  useEffect(() => {
    const field = form.current?.elements.namedItem(changed.current);
    changed.current = "";
    if (field instanceof HTMLElement) field.focus({ preventScroll: true });
  }, [address]);

  function show(form: HTMLFormElement) {
    const asked = new URLSearchParams();
    for (const [name, value] of new FormData(form)) asked.append(name, String(value));
    navigate(manageHref(readManageView(asked)), { preventScrollReset: true });
  }

  return (
    <div className="@container/filters">
      <Form
        role="search"
        action="/admin"
        // A form of another view starts with the values of that view.
        key={address}
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          show(event.currentTarget);
        }}
        onChange={(event) => {
          if (!(event.target instanceof HTMLSelectElement)) return;
          changed.current = event.target.name;
          show(event.currentTarget);
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
        <SelectField label="Status" name="status" defaultValue={namedStatus(view) ?? ""}>
          <option value="">Any</option>
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
          {sortsOf(view).map((sort) => (
            <option key={sort} value={sort}>
              {SORT_LABELS[sort]}
            </option>
          ))}
        </SelectField>
        <div
          className={classNames(
            "flex flex-wrap gap-2",
            // In a line of their own where there is no room for all of them.
            filtered ? "col-span-full" : "has-[details[open]]:col-span-full",
            "@min-[72rem]/filters:[&:not(:has(details[open]))]:col-span-1",
          )}
        >
          <Button variant="secondary">
            <Search aria-hidden="true" className="size-4" />
            Show
          </Button>
          {filtered && (
            <ButtonLink to={manageHref(cleared(view))} preventScrollReset variant="ghost">
              Clear
            </ButtonLink>
          )}
          <MoreFilters
            view={view}
            uploaders={uploaders}
            isOpen={isOpen}
            // The browser also says so of what the address has opened.
            onToggle={(open) => open !== isOpen && setToggled(open)}
          />
        </div>
      </Form>
    </div>
  );
}

/** Somebody who has uploaded videos. */
export interface Uploader {
  id: string;
  email: string;
}

/** The filters that most views need none of, the page size and the columns: fields of the form around it. */
function MoreFilters({
  view,
  uploaders,
  isOpen,
  onToggle,
}: {
  view: ManageView;
  /** Undefined for somebody who sees their own videos alone. */
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
          <DayField label="Added from" name="from" value={view.from} />
          <DayField label="Added to" name="to" value={view.to} isLast />
          {uploaders && (
            <SelectField label="Uploader" name="uploader" defaultValue={view.uploader ?? ""}>
              <option value="">Anyone</option>
              {withChosen(uploaders, view.uploader).map(({ id, email }) => (
                <option key={id} value={id}>
                  {email}
                </option>
              ))}
            </SelectField>
          )}
          <SelectField
            label="Videos on a page"
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
        <Choices legend="Only where">
          {PROBLEMS.map((problem) => (
            <CheckboxField
              key={problem}
              name={problem}
              label={PROBLEM_LABELS[problem]}
              defaultChecked={view.problems?.includes(problem)}
            />
          ))}
        </Choices>
        <Choices legend="Columns">
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
        </Choices>
      </div>
    </details>
  );
}

/** An address may name somebody who has uploaded nothing, or is nobody: then it is what is chosen. */
function withChosen(uploaders: readonly Uploader[], chosen: string | undefined) {
  if (!chosen || uploaders.some(({ id }) => id === chosen)) return uploaders;
  return [...uploaders, { id: chosen, email: "Somebody without videos" }];
}

function Choices({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset className="flex flex-wrap gap-x-5">
      <legend className="text-sm font-medium">{legend}</legend>
      {children}
    </fieldset>
  );
}

/**
 * A day of the browser's zone, sent as the moment in UTC at which it begins, or for the last of several
 * days as the one at which it ends. Without scripts the day is sent as it stands and means one of UTC.
 *
 * @param value as in the address: a day of UTC, or a moment in ISO 8601 UTC.
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
        // Another form of the same moment, once the browser's zone is known.
        key={zone}
        label={label}
        type="date"
        // In letters of twice the size, the year stands beside the calendar on a phone.
        className="!px-2"
        name={hydrated ? undefined : name}
        defaultValue={dayOf(value, isLast, hydrated)}
        hint={hydrated ? `Your time, ${zone.replaceAll("_", " ")}.` : "In UTC."}
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

/** Not 24 hours later: a day on which the clocks change is longer or shorter. */
function timestampOf(day: string, isLast: boolean): string {
  const [year, month, date] = day.split("-").map(Number);
  if (!year || !month || !date) return "";
  const time = new Date(year, month - 1, date + (isLast ? 1 : 0));
  return Number.isNaN(time.getTime()) ? "" : time.toISOString();
}
