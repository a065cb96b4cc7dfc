import { Form } from "@remix-run/react";
import type { ReactNode } from "react";
import { JobLine } from "~/features/processing/queue/job-progress";
import type { JobSummary } from "~/features/processing/queue/kinds";
import { formatAge } from "~/shared/format";
import { formatStorage } from "~/shared/format-bytes";
import { Button } from "~/ui/button";
import {
  type FormFailure,
  formatRange,
  type ManagedVideo,
  type OtherFile,
  type OtherFiles,
} from "../managed-video";

/** The props of the dialogs for a video's files. */
export interface FileDialogProps {
  video: ManagedVideo;
  files: OtherFiles;
  /** The unfinished jobs for the video and its pending file. */
  jobs: JobSummary | undefined;
  /** The reason why the form was rejected. */
  error: FormFailure | undefined;
  /** The URL of the list without a dialog. */
  list: string;
  /** The URL of this dialog. */
  address: string;
  /** Unix time in milliseconds. */
  now: number;
}

/** A video's pending file: its progress, and buttons to use or discard it. */
export function PendingFile({
  video,
  file,
  jobs,
  list,
  now,
}: Pick<FileDialogProps, "video" | "jobs" | "list" | "now"> & {
  file: NonNullable<OtherFiles["pending"]>;
}) {
  return (
    <section
      aria-label={file.range ? "Trimmed version" : "New file"}
      className="flex flex-col gap-3 rounded-lg border border-line p-4"
    >
      <FileFacts file={file} verb={file.range ? "Requested" : "Uploaded"} now={now} />
      <JobLine summary={jobs} />
      {file.hasFailed && (
        <p className="text-sm">
          This file couldn’t be processed. Retry it in the queue, or discard it.
        </p>
      )}
      {file.waitsFor && <p className="text-sm">{file.waitsFor}</p>}
      <div className="flex flex-wrap gap-3">
        {file.isPlayable && (
          <FileButton videoId={video.id} file={file} intent="use-file" action={list}>
            Switch now
          </FileButton>
        )}
        <FileButton
          videoId={video.id}
          file={file}
          intent="discard-file"
          action={list}
          variant="ghost"
        >
          Discard
        </FileButton>
      </div>
    </section>
  );
}

/** A file's duration and size, and when and by whom it was uploaded or replaced. */
export function FileFacts({ file, verb, now }: { file: OtherFile; verb: string; now: number }) {
  return (
    <p className="min-w-0 text-sm figures">
      <span className="font-medium">{file.duration}</span>
      {file.range && ` (${formatRange(file.range)})`}
      {` · ${formatStorage(file.bytes)} · ${verb} ${formatAge(file.at, now)}`}
      {file.by && (
        <span className="text-muted">
          {" by "}
          <span className="break-words">{file.by}</span>
        </span>
      )}
    </p>
  );
}

/** A button that sends a form about one of a video's files. */
export function FileButton({
  videoId,
  file,
  intent,
  action,
  variant = "secondary",
  children,
}: {
  videoId: string;
  file: OtherFile;
  intent: string;
  action: string;
  variant?: "secondary" | "ghost";
  children: ReactNode;
}) {
  return (
    <Form method="post" action={action} preventScrollReset>
      <input type="hidden" name="intent" value={intent} />
      <input type="hidden" name="id" value={videoId} />
      <input type="hidden" name="file" value={file.id} />
      <Button variant={variant} size="sm">
        {children}
      </Button>
    </Form>
  );
}
