import { useHydrated } from "~/ui/use-hydrated";

/**
 * As of when the list knows which files are missing: in the browser's zone, or in UTC where it is not
 * known yet.
 *
 * @param at ISO 8601 UTC; null when no complete look has ended yet.
 */
export function FilesLookedAt({ at }: { at: string | null }) {
  const hydrated = useHydrated();
  if (at === null) {
    return (
      <p className="text-sm text-muted">
        The files have not all been looked for yet: some that are missing may not be listed.
      </p>
    );
  }
  const format = new Intl.DateTimeFormat("en", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: hydrated ? undefined : "UTC",
  });
  return (
    <p className="text-sm text-muted">
      Missing files as of{" "}
      <time dateTime={at}>
        {format.format(new Date(at))}
        {!hydrated && " UTC"}
      </time>
      . They are looked for once a day.
    </p>
  );
}
