import { useState } from "react";
import { Field } from "~/ui/forms/field";
import { useHydrated } from "~/ui/use-hydrated";

/**
 * A date and time, shown in the browser's time zone and sent as ISO 8601 UTC. Without JavaScript, the typed value is
 * sent unchanged and is interpreted as UTC, as the hint says.
 *
 * @param value ISO 8601 UTC, or the typed text, which is shown unchanged if it is invalid.
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
  /** Called with the value to be sent, whenever that value changes. */
  onPosition?: (timestamp: string) => void;
}) {
  const hydrated = useHydrated();
  const [timestamp, setTimestamp] = useState(value);
  const zone = hydrated ? Intl.DateTimeFormat().resolvedOptions().timeZone : "UTC";
  return (
    <>
      <Field
        // The same time in another format, once the browser's time zone is known.
        key={zone}
        label={label}
        type="datetime-local"
        name={hydrated ? undefined : name}
        defaultValue={hydrated ? toLocal(value) : toMinute(value)}
        hint={`${hint} ${hydrated ? `Time zone: ${zone.replaceAll("_", " ")}.` : "Time zone: UTC."}`}
        error={error}
        onChange={(event) => {
          const typed = toUtc(event.currentTarget);
          setTimestamp(typed);
          onPosition?.(typed);
        }}
      />
      {hydrated && <input type="hidden" name={name} value={timestamp} />}
    </>
  );
}

const toMinute = (text: string) => text.slice(0, "2030-01-31T18:00".length);

function toLocal(timestamp: string): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return "";
  return toMinute(new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString());
}

/** An incomplete value is sent unchanged, so that the server rejects it with a message. */
function toUtc({ value, validity }: HTMLInputElement): string {
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return validity.badInput ? "?" : value;
  return time.toISOString();
}
