import { Form, useNavigation, useSubmit } from "@remix-run/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { NOT_ACCEPTED, type Terms } from "~/features/moderation/uploaders/terms";
import { TermsField } from "~/features/moderation/uploaders/terms-field";
import { TRASH_DAYS } from "~/features/trash/trash-address";
import { forgetTransfer, startTransfer, type Transfer } from "~/features/upload/resumable-transfer";
import { MESSAGES, videoHint } from "~/features/upload/upload-fields";
import { UploadBar } from "~/features/upload/upload-item";
import { fileError, progressFigures, throughputMeter } from "~/features/upload/upload-queue";
import type { FileLimits } from "~/shared/file-rules";
import { formatStorage } from "~/shared/format-bytes";
import { Button, ButtonLink } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { FileField } from "~/ui/forms/field";
import { useLeaveWarning } from "~/ui/forms/use-leave-warning";
import { PageLink } from "~/ui/page-link";
import { type ReplaceQuestion, UNTIL_READY } from "../managed-video";
import { FileButton, type FileDialogProps, FileFacts, PendingFile } from "./file-parts";

/** The dialog that replaces a video's file, shows the pending file, and restores earlier ones. */
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
}: FileDialogProps & {
  limits: FileLimits;
  /** The uploader terms, if they have to be accepted. */
  terms: Terms | undefined;
}) {
  return (
    <Dialog title="Replace file" description={video.title} closeTo={list} wide>
      {error && <FailureNotice toast={error.toast} detail={error.detail} />}
      <p className="text-sm text-muted">
        The link, details and views don’t change. {UNTIL_READY} Uploaded captions and custom
        thumbnails are kept. Captions and the chapters in the description may not match the new
        file.
      </p>
      <p className="text-sm figures">
        Current file: {video.duration}, {formatStorage(video.bytes)} (including renditions).
      </p>
      {original && (
        <p className="text-sm">
          This file is trimmed. The original is kept.{" "}
          <PageLink
            to={`${list}&trim=${encodeURIComponent(video.id)}`}
            preventScrollReset
            className="text-accent underline underline-offset-4"
          >
            Trim
          </PageLink>
        </p>
      )}
      {pending ? (
        <PendingFile video={video} file={pending} jobs={jobs} list={list} now={now} />
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
            Replaced files stay in the trash for {TRASH_DAYS} days.
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

const LEAVE_WARNING = "The upload is still running. Leave anyway?";

/**
 * The form that uploads a replacement. With JavaScript, the file is sent as a resumable upload before the form is
 * submitted. Without JavaScript, the file is part of the form.
 */
function ReplaceForm({
  videoId,
  address,
  list,
  limits,
  terms,
  question,
}: {
  videoId: string;
  /** The URL of the dialog, which the form is sent to. */
  address: string;
  /** The URL that Cancel leads to. */
  list: string;
  limits: FileLimits;
  /** The uploader terms, if they have to be accepted. */
  terms: Terms | undefined;
  /** Set if the file was uploaded and the user has to make a decision about it. */
  question: ReplaceQuestion | undefined;
}) {
  const [rejection, setRejection] = useState<string>();
  const submit = useSubmit();
  const busy = useNavigation().formData?.get("intent") === "replace";
  const acceptedTerms = useRef<string>();
  const transfer = useFileTransfer((upload) =>
    submit(
      {
        ...{ intent: "replace", id: videoId, upload, duplicate: "ask", incomplete: "ask" },
        ...(acceptedTerms.current && { terms: acceptedTerms.current }),
      },
      { method: "post", action: address, preventScrollReset: true },
    ),
  );
  const isSending = transfer.share !== undefined;
  useLeaveWarning(() => (isSending ? LEAVE_WARNING : undefined));
  return (
    <Form
      method="post"
      encType="multipart/form-data"
      action={address}
      preventScrollReset
      onSubmit={(event) => {
        const [file] = [...(event.currentTarget.video?.files ?? [])] as File[];
        if (!file) return;
        event.preventDefault();
        const error = fileError(file, limits);
        setRejection(error);
        acceptedTerms.current = new FormData(event.currentTarget).get("terms")?.toString();
        if (!error) transfer.start(file, acceptedTerms.current);
      }}
      className="flex flex-col gap-5"
    >
      <input type="hidden" name="intent" value="replace" />
      <input type="hidden" name="id" value={videoId} />
      <input
        type="hidden"
        name="duplicate"
        value={question && question.kind !== "terms" ? "keep" : "ask"}
      />
      <input
        type="hidden"
        name="incomplete"
        value={question?.kind === "incomplete" ? "keep" : "ask"}
      />
      {question ? (
        <>
          <input type="hidden" name="upload" value={question.upload} />
          <p className="text-sm break-words">
            <bdi className="font-medium">{question.fileName}</bdi> was uploaded. Confirm to
            continue.
          </p>
        </>
      ) : (
        <FileField
          label="Video file"
          name="video"
          accept="video/*"
          required
          hint={videoHint(limits)}
          error={rejection ?? transfer.error}
          disabled={isSending || busy}
        />
      )}
      <TermsField terms={terms} error={question?.kind === "terms" ? NOT_ACCEPTED : undefined} />
      {isSending && (
        <div className="flex flex-col gap-2">
          <UploadBar label="Upload progress" share={transfer.share ?? 0} />
          <p className="text-sm text-muted figures">
            {["Uploading...", transfer.text].filter(Boolean).join(" · ")}
          </p>
        </div>
      )}
      <div className="flex flex-wrap justify-end gap-3">
        {isSending ? (
          <Button type="button" variant="ghost" onClick={transfer.cancel}>
            Cancel
          </Button>
        ) : (
          <ButtonLink to={list} preventScrollReset variant="ghost">
            Cancel
          </ButtonLink>
        )}
        <Button busy={busy || isSending} busyLabel={isSending ? "Uploading..." : "Replacing..."}>
          {question && question.kind !== "terms" ? "Replace anyway" : "Replace file"}
        </Button>
      </div>
    </Form>
  );
}

const INTERRUPTED = "Connection lost. Trying again...";

/**
 * Uploads one file over tus, and passes the upload's name to `onArrived`, for the form.
 *
 * @returns `share`, the progress from 0 to 1 (undefined while nothing is being uploaded), and `text`, details about the
 *   progress.
 */
function useFileTransfer(onArrived: (upload: string) => void) {
  const [share, setShare] = useState<number>();
  const [text, setText] = useState("");
  const [error, setError] = useState<string>();
  const running = useRef<Promise<Transfer>>();
  const arrived = useRef(onArrived);
  arrived.current = onArrived;

  const stop = useCallback((reason?: string) => {
    running.current = undefined;
    setShare(undefined);
    setError(reason);
  }, []);

  const start = useCallback(
    (file: File, terms: string | undefined) => {
      const speed = throughputMeter(() => performance.now());
      setShare(0);
      setText("");
      setError(undefined);
      const transfer = startTransfer(
        file,
        {
          onProgress(sent) {
            setShare(file.size > 0 ? sent / file.size : 1);
            setText(progressFigures(file.size, sent, speed(sent)).join(" · "));
          },
          onInterrupted: () => setText(INTERRUPTED),
          onArrived(upload) {
            stop();
            void forgetTransfer(file);
            arrived.current(upload);
          },
          onFailed: (message) => stop(message),
        },
        terms,
      );
      running.current = transfer;
      transfer.catch(() => stop(MESSAGES.failed));
    },
    [stop],
  );

  const cancel = useCallback(() => {
    void running.current?.then((transfer) => transfer.cancel()).catch(() => {});
    stop();
  }, [stop]);

  // Keeps the partial upload, so that selecting the same file again resumes the upload.
  useEffect(
    () => () => void running.current?.then((transfer) => transfer.pause()).catch(() => {}),
    [],
  );

  return { share, text, error, start, cancel };
}
