import { useId } from "react";
import { CheckboxField, Field } from "~/ui/forms/field";
import type { SeriesChoice } from "./series-list.server";

/** A field for the name of a series, with suggestions. */
export function SeriesNameField({
  name,
  label,
  suggested,
  error,
  isLabelHidden,
  placeholder,
}: {
  name: string;
  label: string;
  suggested: readonly string[];
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
        {suggested.map((title) => (
          <option key={title} value={title} />
        ))}
      </datalist>
    </>
  );
}

/** The fields in the edit dialog that add a video to a series and remove it from others. */
export function SeriesFields({
  choice: { suggested, current },
  error,
}: {
  choice: SeriesChoice;
  error: string | undefined;
}) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">Series</legend>
      <SeriesNameField
        label="Add to series"
        name="addToSeries"
        suggested={suggested}
        error={error}
      />
      {current.map(({ id, title }) => (
        <CheckboxField
          key={id}
          label={<span dir="auto" className="min-w-0 break-words">{`Remove from “${title}”`}</span>}
          name={`leaveSeries.${id}`}
        />
      ))}
    </fieldset>
  );
}
