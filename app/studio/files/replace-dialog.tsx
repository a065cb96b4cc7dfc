import { Form } from "@remix-run/react";
import type { ReactNode } from "react";
import { JobLine } from "~/media/jobs/job-progress";
import type { JobSummary } from "~/media/jobs/kinds";
import { formatAge } from "~/shared/format";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import type { StudioFailure } from "../failure";
import { FailureNotice } from "../failure-notice";
import type { ManagedVideo } from "../list/managed-video";
import { formatStorage } from "../statistics/storage-text";
import { TRASH_DAYS } from "../trash/trash-address";
import type { UploadLimits } from "../upload/upload-fields";
import { type OtherFile, type OtherFiles, WHEN_READY } from "./replace";
import { ReplaceForm } from "./replace-form";

/** Replaces the file of a video, shows the one that is being prepared, and brings earlier ones back. */
export function ReplaceDialog({
  video,
  files: { pending, earlier },
  jobs,
  error,
  list,
  address,
  limits,
  now,
}: {
  video: ManagedVideo;
  files: OtherFiles;
  /** What is made of the file that is being prepared, among others. */
  jobs: JobSummary | undefined;
  /** Why the form that was sent was rejected. */
  error: StudioFailure | undefined;
  /** The address of the list alone. */
  list: string;
  /** The address of this dialog. */
  address: string;
  limits: UploadLimits;
  /** Milliseconds since 1970. */
  now: number;
}) {
  return (
    <Dialog title="Replace File" description={video.title} closeTo={list} wide>
      {error && <FailureNotice toast={error.toast} detail={error.detail} />}
      <p className="text-sm text-muted">
        Address, texts, views and links stay. {WHEN_READY} Captions that were added and a thumbnail
        that was chosen are kept; captions, and chapters in the description, may not fit the new
        file.
      </p>
      <p className="text-sm figures">
        The file there is: {video.duration} · {formatStorage(video.bytes)} with all that was made of
        it.
      </p>
      {pending ? (
        <section
          aria-label="New file"
          className="flex flex-col gap-3 rounded-lg border border-line p-4"
        >
          <FileFacts file={pending} verb="Sent" now={now} />
          <JobLine summary={jobs} />
          {pending.hasFailed && (
            <p className="text-sm">
              It does not take over by itself. Try again in the queue, or discard it.
            </p>
          )}
          <div className="flex flex-wrap gap-3">
            {pending.isPlayable && (
              <FileButton videoId={video.id} file={pending} intent="use-file" action={list}>
                Use it now
              </FileButton>
            )}
            <FileButton
              videoId={video.id}
              file={pending}
              intent="discard-file"
              action={list}
              variant="ghost"
            >
              Discard it
            </FileButton>
          </div>
        </section>
      ) : (
        <ReplaceForm
          videoId={video.id}
          address={address}
          list={list}
          limits={limits}
          question={error?.replace?.question}
        />
      )}
      {earlier.length > 0 && (
        <section className="flex flex-col gap-2">
          <h3 className="text-sm font-medium">Earlier files</h3>
          <p className="text-sm text-muted">
            Each is in the trash for {TRASH_DAYS} days after it was replaced.
          </p>
          <ul className="ruled rounded-lg border border-line">
            {earlier.map((file) => (
              <li key={file.id} className="flex flex-wrap items-center justify-between gap-3 p-3">
                <FileFacts file={file} verb="Replaced" now={now} />
                <FileButton videoId={video.id} file={file} intent="restore-file" action={list}>
                  Restore this file
                </FileButton>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Dialog>
  );
}

function FileFacts({ file, verb, now }: { file: OtherFile; verb: string; now: number }) {
  return (
    <p className="min-w-0 text-sm figures">
      <span className="font-medium">{file.duration}</span>
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

function FileButton({
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
