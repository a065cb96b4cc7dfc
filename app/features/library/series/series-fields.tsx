import { useId } from "react";
import { CheckboxField, Field } from "~/ui/forms/field";
import type { SeriesChoice } from "./series-list.server";

/** The name of a series, offered from those that were changed last. */
export function SeriesNameField({
  name,
  label,
  offered,
  error,
  isLabelHidden,
  placeholder,
}: {
  name: string;
  label: string;
  offered: readonly string[];
  error?: string;
  isLabelHidden?: boolean;
  placeholder?: string;
}) {
  const id = useId();
  return (
    <>
      <Field
        label={label}
        name={name}
        list={id}
        autoComplete="off"
        error={error}
        isLabelHidden={isLabelHidden}
        placeholder={placeholder}
      />
      <datalist id={id}>
        {offered.map((title) => (
          <option key={title} value={title} />
        ))}
      </datalist>
    </>
  );
}

/** The series of a video in its edit dialog: those it is in, and one to put it into. */
export function SeriesFields({
  choice: { offered, of },
  error,
}: {
  choice: SeriesChoice;
  error: string | undefined;
}) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">Series</legend>
      <SeriesNameField label="Add to series" name="addToSeries" offered={offered} error={error} />
      {of.map(({ id, title }) => (
        <CheckboxField
          key={id}
          label={<span dir="auto" className="min-w-0 break-words">{`Take out of “${title}”`}</span>}
          name={`leaveSeries.${id}`}
        />
      ))}
    </fieldset>
  );
}
