import { Form, useNavigation } from "@remix-run/react";
import type { JobSummary } from "~/features/processing/queue/kinds";
import { formatStorage } from "~/shared/format-bytes";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { PendingFile } from "../files/file-parts";
import type { OtherFiles } from "../files/replace";
import type { ManagedVideo } from "../list/managed-video";
import type { FormFailure } from "../rejected-form";
import { cutText, type TrimView } from "./trim";
import { TrimForm } from "./trim-form";

/** Sets where a video starts and ends, shows the cut that is being made, and undoes the one there is. */
export function TrimDialog({
  video,
  trim,
  files: { pending, original },
  jobs,
  error,
  list,
  address,
  now,
}: {
  video: ManagedVideo;
  trim: TrimView;
  files: OtherFiles;
  /** What is made of the cut that is being made, among others. */
  jobs: JobSummary | undefined;
  /** Why the form that was sent was rejected. */
  error: FormFailure | undefined;
  /** The address of the list alone. */
  list: string;
  /** The address of this dialog. */
  address: string;
  /** Milliseconds since 1970. */
  now: number;
}) {
  return (
    <Dialog title="Start and End" description={video.title} closeTo={list} wide>
      {error && <FailureNotice toast={error.toast} detail={error.detail} />}
      <p className="text-sm text-muted">
        The video becomes a part of its film, exact to the picture; it plays as it is until the cut
        is ready. The whole film is kept, and the cut can be undone. Captions, pictures and stream
        follow the cut; times and chapters in the description are not changed.
      </p>
      {trim.cut && (
        <section
          aria-label="The cut there is"
          className="flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line p-4"
        >
          <p className="min-w-0 text-sm figures">
            {`It plays ${cutText(trim.cut)} of ${trim.duration}.`}
            {original && (
              <span className="text-muted">{` The whole film takes ${formatStorage(original.bytes)}.`}</span>
            )}
          </p>
          {!pending && <UndoButton videoId={video.id} list={list} />}
        </section>
      )}
      {pending ? (
        <PendingFile videoId={video.id} file={pending} jobs={jobs} list={list} now={now} />
      ) : trim.url ? (
        <TrimForm
          key={`${trim.url} ${trim.cut && cutText(trim.cut)}`}
          videoId={video.id}
          trim={trim}
          rejected={error?.trim}
          list={list}
          address={address}
        />
      ) : (
        <p className="text-sm">
          There is no file of this video on this site that could be cut yet.
        </p>
      )}
    </Dialog>
  );
}

function UndoButton({ videoId, list }: { videoId: string; list: string }) {
  const busy = useNavigation().formData?.get("intent") === "undo-trim";
  return (
    <Form method="post" action={list} preventScrollReset>
      <input type="hidden" name="intent" value="undo-trim" />
      <input type="hidden" name="id" value={videoId} />
      <Button variant="secondary" size="sm" busy={busy} busyLabel="Undoing...">
        Undo the cut
      </Button>
    </Form>
  );
}
