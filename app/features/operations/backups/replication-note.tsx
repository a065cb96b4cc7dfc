import { Time } from "~/ui/time";
import type { ReplicationState } from "~db/litestream.server";

/** How Litestream is, as far as the site can tell. */
export function ReplicationNote({
  replication: { state, copiedAt },
}: {
  replication: ReplicationState;
}) {
  const at = copiedAt === null ? null : new Date(copiedAt).toISOString();
  return (
    <section
      aria-label="Litestream"
      className="flex flex-col gap-1 rounded-lg border border-line bg-surface p-4 text-sm sm:p-5"
    >
      <p className={state === "following" ? "font-semibold" : "font-semibold text-bad"}>
        {state === "following" && "Litestream follows the database."}
        {state === "behind" && "Litestream no longer follows the database."}
        {state === "never" && "Litestream has not copied anything yet."}
      </p>
      <p className="text-muted figures">
        {at && (
          <>
            Its last copy is of <Time value={at} />.{" "}
          </>
        )}
        {state === "following"
          ? "Whether all of it has reached the replica, its own metrics say."
          : "Is it running? Until it is, a disk that is lost takes with it what is written now."}
      </p>
    </section>
  );
}
