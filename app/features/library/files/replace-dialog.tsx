import type { Terms } from "~/features/moderation/uploaders/terms";
import type { JobSummary } from "~/features/processing/queue/kinds";
import { TRASH_DAYS } from "~/features/trash/trash-address";
import type { FileLimits } from "~/shared/file-rules";
import { formatStorage } from "~/shared/format-bytes";
import { Dialog } from "~/ui/dialog";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { PageLink } from "~/ui/page-link";
import type { ManagedVideo } from "../list/managed-video";
import type { FormFailure } from "../rejected-form";
import { FileButton, FileFacts, PendingFile } from "./file-parts";
import { type OtherFiles, WHEN_READY } from "./replace";
import { ReplaceForm } from "./replace-form";

/** Replaces the file of a video, shows the one that is being prepared, and brings earlier ones back. */
export function ReplaceDialog({
  video,
  files: { pending, original, earlier },
  jobs,
  error,
  list,
  address,
  limits,
  terms,
  now,
}: {
  video: ManagedVideo;
  files: OtherFiles;
  /** What is made of the file that is being prepared, among others. */
  jobs: JobSummary | undefined;
  /** Why the form that was sent was rejected. */
  error: FormFailure | undefined;
  /** The address of the list alone. */
  list: string;
  /** The address of this dialog. */
  address: string;
  limits: FileLimits;
  /** The uploaders' terms, where they have to be accepted. */
  terms: Terms | undefined;
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
      {original && (
        <p className="text-sm">
          It is a cut: the whole film is kept beside it.{" "}
          <PageLink
            to={`${list}&trim=${encodeURIComponent(video.id)}`}
            preventScrollReset
            className="text-accent underline underline-offset-4"
          >
            Start and end
          </PageLink>
        </p>
      )}
      {pending ? (
        <PendingFile videoId={video.id} file={pending} jobs={jobs} list={list} now={now} />
      ) : (
        <ReplaceForm
          videoId={video.id}
          address={address}
          list={list}
          limits={limits}
          terms={terms}
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
