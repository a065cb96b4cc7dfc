import { useState } from "react";
import { Field } from "~/ui/forms/field";
import { useHydrated } from "~/ui/use-hydrated";

/**
 * A date with a time, shown in the zone of the browser and sent as ISO 8601 UTC. Without scripts, what
 * is typed is sent as it stands and means UTC, and the hint says so.
 *
 * @param value ISO 8601 UTC, or what was typed, which is shown as it is when it is no time.
 */
export function DateTimeField({
  label,
  name,
  value,
  hint,
  error,
  onPosition,
}: {
  label: string;
  name: string;
  value: string;
  hint: string;
  error?: string;
  /** Called with what will be sent whenever it changes. */
  onPosition?: (moment: string) => void;
}) {
  const hydrated = useHydrated();
  const [moment, setTimestamp] = useState(value);
  const zone = hydrated ? Intl.DateTimeFormat().resolvedOptions().timeZone : "UTC";
  return (
    <>
      <Field
        // Another form of the same moment, once the browser's zone is known.
        key={zone}
        label={label}
        type="datetime-local"
        name={hydrated ? undefined : name}
        defaultValue={hydrated ? toLocal(value) : toMinute(value)}
        hint={`${hint} ${hydrated ? `Your time, ${zone.replaceAll("_", " ")}.` : "In UTC."}`}
        error={error}
        onChange={(event) => {
          const typed = toUtc(event.currentTarget);
          setTimestamp(typed);
          onPosition?.(typed);
        }}
      />
      {hydrated && <input type="hidden" name={name} value={moment} />}
    </>
  );
}

const toMinute = (text: string) => text.slice(0, "2030-01-31T18:00".length);

function toLocal(moment: string): string {
  const time = new Date(moment);
  if (Number.isNaN(time.getTime())) return "";
  return toMinute(new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString());
}

/** What is filled in half is sent as it is, and so refused with a sentence. */
function toUtc({ value, validity }: HTMLInputElement): string {
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return validity.badInput ? "?" : value;
  return time.toISOString();
}
