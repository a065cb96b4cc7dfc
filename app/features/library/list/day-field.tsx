import { useState } from "react";
import { Field } from "~/ui/forms/field";
import { useHydrated } from "~/ui/use-hydrated";

/**
 * A day of the browser's zone, sent as the moment in UTC at which it begins, or for the last of several
 * days as the one at which it ends. Without scripts the day is sent as it stands and means one of UTC.
 *
 * @param value as in the address: a day of UTC, or a moment in ISO 8601 UTC.
 */
export function DayField({
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
        onChange={(event) => setSent(momentOf(event.currentTarget.value, isLast))}
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
function momentOf(day: string, isLast: boolean): string {
  const [year, month, date] = day.split("-").map(Number);
  if (!year || !month || !date) return "";
  const time = new Date(year, month - 1, date + (isLast ? 1 : 0));
  return Number.isNaN(time.getTime()) ? "" : time.toISOString();
}
