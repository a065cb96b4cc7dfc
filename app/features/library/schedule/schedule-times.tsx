import { useHydrated } from "~/ui/use-hydrated";
import type { ManagedVideo } from "../list/managed-video";

/** When a video of the list is published and hidden by itself, if it is. */
export function ScheduleTimes({ video: { status, schedule } }: { video: ManagedVideo }) {
  const { publishAt, unpublishAt } = schedule;
  return (
    <>
      {publishAt && status !== "published" && <Moment what="Publishes" at={publishAt} />}
      {unpublishAt && <Moment what="Hides" at={unpublishAt} />}
    </>
  );
}

/** In the browser's zone, or in UTC, which is said, where it is not known yet. */
function Moment({ what, at }: { what: string; at: string }) {
  const hydrated = useHydrated();
  const format = new Intl.DateTimeFormat("en", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: hydrated ? undefined : "UTC",
  });
  return (
    <span className="video-row-schedule block text-xs">
      {what}{" "}
      <time dateTime={at}>
        {format.format(new Date(at))}
        {!hydrated && " UTC"}
      </time>
    </span>
  );
}
