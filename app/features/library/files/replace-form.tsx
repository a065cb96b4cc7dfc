import { Form, useNavigation, useSubmit } from "@remix-run/react";
import { useRef, useState } from "react";
import { NOT_ACCEPTED, type Terms } from "~/features/moderation/uploaders/terms";
import { TermsField } from "~/features/moderation/uploaders/terms-field";
import { videoHint } from "~/features/upload/upload-fields";
import { fileError } from "~/features/upload/upload-queue";
import type { FileLimits } from "~/shared/file-rules";
import { Button, ButtonLink } from "~/ui/button";
import { FileField } from "~/ui/forms/field";
import { useLeaveWarning } from "~/ui/forms/use-leave-warning";
import type { ReplaceQuestion } from "./replace";
import { useFileTransfer } from "./use-file-transfer";

const UNSENT = "The file has not arrived yet. Leave all the same?";

/**
 * Sends a file that is to replace that of a video. With scripts it goes ahead of the form, so that a lost
 * connection loses nothing of it; without, the form carries it.
 */
export function ReplaceForm({
  videoId,
  address,
  list,
  limits,
  terms,
  question,
}: {
  videoId: string;
  /** The address of the dialog, to which the form is sent. */
  address: string;
  /** Where Cancel leads. */
  list: string;
  limits: FileLimits;
  /** The uploaders' terms, where they have to be accepted. */
  terms: Terms | undefined;
  /** Set when the file is on the server and waits for a decision. */
  question: ReplaceQuestion | undefined;
}) {
  const [refused, setRefused] = useState<string>();
  const submit = useSubmit();
  const busy = useNavigation().formData?.get("intent") === "replace";
  const accepted = useRef<string>();
  const transfer = useFileTransfer((upload) =>
    submit(
      {
        ...{ intent: "replace", id: videoId, upload, duplicate: "ask", incomplete: "ask" },
        ...(accepted.current && { terms: accepted.current }),
      },
      { method: "post", action: address, preventScrollReset: true },
    ),
  );
  const isSending = transfer.share !== undefined;
  useLeaveWarning(() => (isSending ? UNSENT : undefined));
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
        setRefused(error);
        accepted.current = new FormData(event.currentTarget).get("terms")?.toString();
        if (!error) transfer.start(file, accepted.current);
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
        value={question?.kind === "cut off" ? "keep" : "ask"}
      />
      {question ? (
        <>
          <input type="hidden" name="upload" value={question.upload} />
          <p className="text-sm break-words">
            <bdi className="font-medium">{question.fileName}</bdi> waits on the server for your
            decision.
          </p>
        </>
      ) : (
        <FileField
          label="Video file"
          name="video"
          accept="video/*"
          required
          hint={videoHint(limits)}
          error={refused ?? transfer.error}
          disabled={isSending || busy}
        />
      )}
      <TermsField terms={terms} error={question?.kind === "terms" ? NOT_ACCEPTED : undefined} />
      {isSending && <SendingBar share={transfer.share ?? 0} text={transfer.text} />}
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
        <Button busy={busy || isSending} busyLabel={isSending ? "Uploading..." : "Examining..."}>
          {question && question.kind !== "terms" ? "Replace all the same" : "Replace file"}
        </Button>
      </div>
    </Form>
  );
}

function SendingBar({ share, text }: { share: number; text: string }) {
  return (
    <div className="flex flex-col gap-2">
      <div
        role="progressbar"
        aria-label="Upload of the new file"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(share * 100)}
        className="h-1.5 overflow-hidden rounded-full bg-raised"
      >
        <div
          className="h-full origin-left bg-accent transition-transform"
          style={{ transform: `scaleX(${share})` }}
        />
      </div>
      <p className="text-sm text-muted figures">
        {["Uploading...", text].filter(Boolean).join(" · ")}
      </p>
    </div>
  );
}
