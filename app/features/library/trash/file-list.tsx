import { Form } from "@remix-run/react";
import { Undo2 } from "lucide-react";
import { daysLeft } from "~/features/trash/trash-address";
import { formatAge } from "~/shared/format";
import { formatStorage } from "~/shared/format-bytes";
import { Button } from "~/ui/button";
import type { TrashedFile } from "./trash-list.server";

/** The files of a page of the trash that were replaced by others, each with what can be done with it. */
export function ReplacedFileList({
  files,
  action,
  now,
}: {
  files: TrashedFile[];
  /** The address of the list. */
  action: string;
  /** Milliseconds since 1970. */
  now: number;
}) {
  return (
    <ul aria-label="Earlier files" className="ruled rounded-lg border border-line bg-surface">
      {files.map((file) => (
        <li key={file.id} className="flex flex-wrap items-center gap-3 p-3 sm:px-4">
          <div className="min-w-0 grow basis-60">
            <p dir="auto" className="line-clamp-2 font-medium break-words">
              {file.title}
            </p>
            <p className="text-sm text-muted figures">
              {`${file.duration} · Replaced ${formatAge(file.deletedAt, now)}`}
              {file.deletedBy && (
                <>
                  {" by "}
                  <span className="break-words">{file.deletedBy}</span>
                </>
              )}
              {` · ${formatStorage(file.bytes)} · ${daysLeft(file.deletedAt, now)} left`}
            </p>
          </div>
          <Form method="post" action={action} preventScrollReset className="flex flex-wrap gap-3">
            <input type="hidden" name="file" value={file.id} />
            {file.isOfDeleted ? (
              <p className="self-center text-sm text-muted">Restore its video first.</p>
            ) : (
              <Button
                name="intent"
                value="restore-file"
                variant="secondary"
                size="sm"
                aria-label={`Restore this file of ${file.title}`}
              >
                <Undo2 aria-hidden="true" className="size-4" />
                Restore this file
              </Button>
            )}
            <Button
              name="intent"
              value="purge-file"
              variant="ghost"
              size="sm"
              aria-label={`Delete this file of ${file.title} for good`}
            >
              Delete for good
            </Button>
          </Form>
        </li>
      ))}
    </ul>
  );
}
