import { useHydrated } from "./use-hydrated";

const FORMAT = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/** In the browser's zone, or in UTC, which is said, where it is not known yet. */
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

/** In UTC and saying so: server and browser must write the same text. */
export function Time({ value }: { value: string }) {
  return <time dateTime={value}>{FORMAT.format(new Date(value))} UTC</time>;
}
