import { Form } from "@remix-run/react";
import { Pause, Play } from "lucide-react";
import { formatQuantity } from "~/shared/format";
import { formatSpan } from "~/shared/format-span";
import { Button } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { PageLink } from "~/ui/page-link";
import { QUEUE_STATE_LABELS, QUEUE_STATES, type QueueView, queueHref } from "./queue-address";
import type { QueuePage } from "./queue-page.server";

/** How much is left to make and how long that takes, and Pause all. */
export function QueueHead({
  queue: { counts, timeLeft },
  pausedSince,
  action,
  busy,
}: {
  queue: Pick<QueuePage, "counts" | "timeLeft">;
  /** ISO 8601 UTC */
  pausedSince: string | null;
  action: string;
  busy: FormData | undefined;
}) {
  const { running = 0, waiting = 0 } = counts;
  const isPaused = pausedSince !== null;
  const intent = isPaused ? "resume" : "pause";
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="min-w-0 grow basis-60">
        <p role="status" className={classNames("font-semibold", isPaused && "text-warn")}>
          {isPaused ? "Paused: nothing is made until you resume." : stateText(running, waiting)}
        </p>
        <p className="text-sm text-muted figures">
          {running + waiting > 0 && `${formatQuantity(running + waiting, "job")} left. `}
          {timeText(running + waiting, timeLeft, isPaused)}
        </p>
      </div>
      <Form method="post" action={action} preventScrollReset>
        <Button
          name="intent"
          value={intent}
          variant={isPaused ? "primary" : "secondary"}
          busy={busy?.get("intent") === intent}
          busyLabel={isPaused ? "Resuming..." : "Pausing..."}
        >
          {isPaused ? (
            <Play aria-hidden="true" className="size-4" />
          ) : (
            <Pause aria-hidden="true" className="size-4" />
          )}
          {isPaused ? "Resume" : "Pause all"}
        </Button>
      </Form>
    </div>
  );
}

function stateText(running: number, waiting: number): string {
  if (running > 0) return "The queue is at work.";
  return waiting > 0 ? "The queue is about to go on." : "Nothing is left to make.";
}

function timeText(left: number, { seconds, unmeasured }: QueuePage["timeLeft"], isPaused: boolean) {
  if (left === 0) return null;
  if (seconds === null) {
    return `Time left: unknown, until this has been made once: ${unmeasured.join(", ")}.`;
  }
  return `Time left: about ${formatSpan(seconds)}${isPaused ? " once it goes on" : ""}, by how long the last ones took.`;
}

/** What of the queue is shown; each is an address. */
export function QueueFilters({ view, counts }: { view: QueueView; counts: QueuePage["counts"] }) {
  const all = [undefined, ...QUEUE_STATES] as const;
  return (
    <nav aria-label="Part of the queue" className="-mx-1 flex flex-wrap gap-1 text-sm">
      {all.map((state) => {
        const isCurrent = view.video === undefined && view.state === state;
        const count = state && counts[state];
        return (
          <PageLink
            key={state ?? "all"}
            to={queueHref({ state })}
            aria-current={isCurrent ? "page" : undefined}
            className={classNames(
              "inline-flex min-h-11 items-center gap-1.5 rounded-md px-3 figures hover:bg-raised hover:text-ink",
              isCurrent ? "bg-raised font-medium text-ink" : "text-muted",
            )}
          >
            {state ? QUEUE_STATE_LABELS[state] : "All that is left"}
            {count !== undefined && (
              <span className="text-muted">{count.toLocaleString("en")}</span>
            )}
          </PageLink>
        );
      })}
    </nav>
  );
}
