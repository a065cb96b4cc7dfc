import { Form } from "@remix-run/react";
import { Undo2 } from "lucide-react";
import { Button } from "~/ui/button";
import type { DeletedVideo } from "./remove.server";

const MINUTE_MS = 60_000;

/** What was deleted in the last minutes, each with the button that brings it back. */
export function DeletedBar({
  deleted,
  action,
  now,
}: {
  deleted: DeletedVideo[];
  action: string;
  now: number;
}) {
  if (deleted.length === 0) return null;
  return (
    <section
      aria-label="Recently deleted"
      className="rounded-lg border border-line bg-surface p-2 pl-4 text-sm"
    >
      <ul className="flex flex-col gap-1">
        {deleted.map((video) => (
          <li key={video.id} className="flex items-center gap-3">
            <span className="min-w-0 flex-1 truncate">
              Deleted: <strong className="font-medium">{video.title}</strong>
            </span>
            <span className="text-muted tabular-nums max-sm:sr-only">
              {minutesLeft(video.undoUntil, now)} left
            </span>
            <Form method="post" action={action} preventScrollReset>
              <input type="hidden" name="intent" value="restore" />
              <input type="hidden" name="id" value={video.id} />
              <Button variant="secondary" size="sm" aria-label={`Undo deleting ${video.title}`}>
                <Undo2 aria-hidden="true" className="size-4" />
                Undo
              </Button>
            </Form>
          </li>
        ))}
      </ul>
    </section>
  );
}

function minutesLeft(until: string, now: number): string {
  return `${Math.max(1, Math.ceil((Date.parse(until) - now) / MINUTE_MS))} min`;
}
