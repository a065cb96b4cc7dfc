import { SlidersHorizontal } from "lucide-react";
import type { ReactNode } from "react";
import { buttonClass } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { SelectField } from "~/ui/forms/field";
import { COLUMN_LABELS, COLUMNS, TITLE_COLUMN } from "./columns";
import { DayField } from "./day-field";
import {
  DEFAULT_PAGE_SIZE,
  type ManageView,
  PAGE_SIZES,
  PROBLEM_LABELS,
  PROBLEMS,
} from "./manage-address";

/** Somebody who has uploaded videos. */
export interface Uploader {
  id: string;
  email: string;
}

/** The filters that most views need none of, the page size and the columns: fields of the form around it. */
export function MoreFilters({
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
            <Choice
              key={problem}
              name={problem}
              value="1"
              label={PROBLEM_LABELS[problem]}
              isChosen={view.problems?.includes(problem)}
            />
          ))}
        </Choices>
        <Choices legend="Columns">
          <input type="hidden" name="columns" value={TITLE_COLUMN} />
          {COLUMNS.map((column) => (
            <Choice
              key={column}
              name="columns"
              value={column}
              label={COLUMN_LABELS[column]}
              isChosen={shown.includes(column)}
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

function Choice({
  label,
  isChosen = false,
  ...field
}: {
  label: string;
  name: string;
  value: string;
  isChosen?: boolean;
}) {
  return (
    <label className="flex min-h-11 items-center gap-2 text-sm">
      <input type="checkbox" {...field} defaultChecked={isChosen} className="size-5" />
      {label}
    </label>
  );
}
