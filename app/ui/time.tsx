import { useHydrated } from "./use-hydrated";

const FORMAT = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/** A time in the browser's time zone. Until the time zone is known, the time is in UTC and marked as such. */
export function LocalTime({ value }: { value: string }) {
  const hydrated = useHydrated();
  const format = new Intl.DateTimeFormat("en", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: hydrated ? undefined : "UTC",
  });
  return (
    <time dateTime={value}>
      {format.format(new Date(value))}
      {!hydrated && " UTC"}
    </time>
  );
}

/** Formats a time in UTC, including the zone. The server and the browser must render the same text. */
export function Time({ value }: { value: string }) {
  return <time dateTime={value}>{FORMAT.format(new Date(value))} UTC</time>;
}
