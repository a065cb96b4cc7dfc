import { type FormEvent, useCallback, useEffect, useRef, useState } from "react";
import { Button } from "~/ui/button";
import { FileField } from "~/ui/field";
import { useHydrated } from "~/ui/use-hydrated";
import { DuplicateNotice } from "./duplicate-notice";
import { FailureNotice } from "./failure-notice";
import { FramePicker } from "./frame-picker";
import { UnfinishedUploads } from "./unfinished-uploads";
import { NO_TEXTS, type UploadFailure, type UploadLimits, type UploadTexts } from "./upload-fields";
import { videoHint } from "./upload-hints";
import { UploadItem } from "./upload-item";
import { canBeSent, isUnderWay, textsFor } from "./upload-queue";
import { UploadTextFields } from "./upload-text-fields";
import { useChosenFiles } from "./use-chosen-files";
import { useFileDrop } from "./use-file-drop";
import { useLeaveWarning } from "./use-leave-warning";
import { useUploadQueue } from "./use-upload-queue";

/**
 * The Upload tab of the admin panel: a standard form, which scripts turn into a queue. With one file
 * the form is about that file; with several it holds what they share.
 */
export function UploadForm({ limits, failure }: { limits: UploadLimits; failure?: UploadFailure }) {
  const form = useRef<HTMLFormElement>(null);
  const hydrated = useHydrated();
  const [refused, setRefused] = useState<UploadFailure>();
  const queue = useUploadQueue(useCallback((refusal) => setRefused(refusal), []));
  const { items, patch, dispatch } = queue;
  const choose = useChosenFiles(form, queue, limits);
  const isOver = useFileDrop(choose);

  const sendable = items.filter(canBeSent);
  const several = items.filter(({ state }) => state !== "done").length > 1;
  const isUploading = items.some(isUnderWay);
  useLeaveWarning(isUploading);

  // The form empties when the last upload has come to its good end.
  const isAllDone = items.length > 0 && items.every(({ state }) => state === "done");
  useEffect(() => {
    if (!isAllDone) return;
    form.current?.reset();
    setRefused(undefined);
  }, [isAllDone]);

  function send(event: FormEvent<HTMLFormElement>) {
    // The bytes are on the server already: the form goes the way it goes without scripts.
    if (failure?.duplicate && items.length === 0) return;
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const { submitter } = event.nativeEvent as SubmitEvent;
    const intent =
      submitter instanceof HTMLButtonElement && submitter.value === "draft" ? "draft" : "publish";
    const typed = { ...NO_TEXTS };
    for (const name of Object.keys(typed) as (keyof UploadTexts)[]) {
      typed[name] = String(fields.get(name) ?? "");
    }
    const picture = fields.get("thumbnail");
    const own = !several && picture instanceof File && picture.size > 0 ? picture : undefined;
    setRefused(undefined);
    for (const item of sendable) {
      const texts = textsFor(item, typed, several);
      const thumbnail = own ?? item.thumbnail;
      patch(item.key, { state: "waiting", sent: { texts, intent }, thumbnail, sentence: "" });
    }
  }

  const shown = refused ?? failure;
  const only = !several && sendable.length === 1 ? sendable[0] : undefined;
  return (
    <form
      ref={form}
      method="post"
      action="/admin"
      encType="multipart/form-data"
      onSubmit={send}
      className="flex max-w-3xl flex-col gap-5"
    >
      {shown && (
        <FailureNotice toast={{ title: "Error", description: shown.sentence, kind: "error" }} />
      )}
      <UploadTextFields
        key={failure ? JSON.stringify(failure.texts) : "empty"}
        texts={failure?.texts ?? NO_TEXTS}
        wrong={shown?.fields ?? {}}
        limits={limits}
        several={several}
      />
      {only && (
        <FramePicker
          file={only.file}
          chosen={only.thumbnail}
          onChoose={(thumbnail) => patch(only.key, { thumbnail })}
        />
      )}
      {failure?.duplicate && items.length === 0 ? (
        <DuplicateNotice duplicate={failure.duplicate} />
      ) : (
        <>
          <input type="hidden" name="duplicate" value="ask" />
          <FileField
            label={hydrated ? "Videos" : "Video"}
            name="video"
            required={sendable.length === 0}
            multiple={hydrated}
            accept="video/*,.mkv,.avi,.ts,.flv,.wmv"
            hint={
              hydrated ? `${videoHint(limits)}. Drop them anywhere on the page.` : videoHint(limits)
            }
            error={shown?.fields.video}
            onChange={(event) => choose([...(event.currentTarget.files ?? [])])}
          />
        </>
      )}
      {items.length > 0 && (
        <ul aria-label="Queue" className="flex flex-col gap-3">
          {items.map((item) => (
            <UploadItem
              key={item.key}
              item={item}
              queue={queue}
              isEditable={several}
              onOwn={(own) => dispatch({ type: "own", key: item.key, own })}
            />
          ))}
        </ul>
      )}
      {hydrated && items.length === 0 && <UnfinishedUploads />}
      <div className="flex flex-wrap gap-3">
        <Button
          name="intent"
          value="publish"
          busy={isUploading && sendable.length === 0}
          busyLabel="Uploading..."
        >
          {sendable.length > 1 ? `Upload ${sendable.length} Videos` : "Upload Video"}
        </Button>
        <Button
          name="intent"
          value="draft"
          variant="secondary"
          disabled={isUploading && sendable.length === 0}
        >
          Save as Draft
        </Button>
      </div>
      {isOver && (
        <p
          role="status"
          className="pointer-events-none fixed inset-4 z-40 grid place-items-center rounded-lg border-2 border-dashed border-accent bg-ground/90 text-lg font-semibold"
        >
          Drop videos to add them to the queue
        </p>
      )}
    </form>
  );
}
