const FORMAT = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/** In UTC and saying so: server and browser must write the same text. */
export function Time({ value }: { value: string }) {
  return <time dateTime={value}>{FORMAT.format(new Date(value))} UTC</time>;
}
