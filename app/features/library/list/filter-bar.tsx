import { Form, useNavigate } from "@remix-run/react";
import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { shownCategories } from "~/shared/categories";
import { Button, ButtonLink } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { Field, SelectField } from "~/ui/forms/field";
import { VIDEO_STATUSES } from "~db/schema";
import {
  cleared,
  hasMoreFilters,
  isFiltered,
  type ManageView,
  manageHref,
  readManageView,
  SCHEDULED,
  SIMILAR,
  SORT_LABELS,
  STATUS_LABELS,
  sortsOf,
  WAITING_LABELS,
  waitingStatus,
} from "./manage-address";
import { MoreFilters, type Uploader } from "./more-filters";

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
        <SelectField
          label="Status"
          name="status"
          defaultValue={
            view.scheduled
              ? SCHEDULED
              : view.similar
                ? SIMILAR
                : view.waitsFor
                  ? waitingStatus(view.waitsFor)
                  : (view.status ?? "")
          }
        >
          <option value="">Any</option>
          {VIDEO_STATUSES.map((status) => (
            <option key={status} value={status}>
              {STATUS_LABELS[status]}
            </option>
          ))}
          {Object.entries(WAITING_LABELS).map(([status, label]) => (
            <option key={status} value={status}>
              {label}
            </option>
          ))}
          <option value={SCHEDULED}>Scheduled</option>
          <option value={SIMILAR}>Looks alike</option>
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
