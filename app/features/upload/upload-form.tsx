import { useRevalidator } from "@remix-run/react";
import { type FormEvent, useCallback, useEffect, useRef, useState } from "react";
import type { Terms } from "~/features/moderation/uploaders/terms";
import { latestTerms, TermsField } from "~/features/moderation/uploaders/terms-field";
import { usePermissions } from "~/features/permissions/use-permissions";
import { NO_SCHEDULE, readSchedule } from "~/features/visibility/schedule";
import type { FileLimits } from "~/shared/file-rules";
import { Button } from "~/ui/button";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { useToast } from "~/ui/feedback/toast";
import { isChanged, useLeaveWarning } from "~/ui/forms/use-leave-warning";
import { useHydrated } from "~/ui/use-hydrated";
import { FileDropArea, useChosenFiles, useFileDrop } from "./file-drop-area";
import { FramePicker } from "./frame-picker";
import { PasteLines } from "./paste-lines";
import { unfinishedUploads } from "./resumable-transfer";
import { fillIn, StartChoice, textsOf, type UploadStart } from "./templates";
import {
  MESSAGES,
  NO_TEXTS,
  type UploadFailure,
  type UploadTexts,
  videoHint,
} from "./upload-fields";
import { QuestionNotice, UploadItem } from "./upload-item";
import { canBeSent, isFinished, isUnderWay, textsFor } from "./upload-queue";
import { forgetSchedule, UploadTextFields } from "./upload-text-fields";
import { useSavedTexts } from "./use-saved-texts";
import { useUploadQueue } from "./use-upload-queue";

const UNDER_WAY = "Uploads are still running. Leave anyway?";
const NOT_UPLOADED = "Your changes haven't been uploaded. Leave anyway?";
const FIELDS = Object.keys(NO_TEXTS) as (keyof UploadTexts)[];
/** The fields whose values are saved by a separate component: the schedule. */
const SAVED_FIELDS = FIELDS.filter((name) => !(name in NO_SCHEDULE));

/**
 * The Upload tab of the admin panel: a standard form that JavaScript turns into a queue. With one file, the form
 * describes that file; with several, it contains the text that they share.
 */
export function UploadForm({
  limits,
  start,
  terms,
  quota,
  failure,
}: {
  limits: FileLimits;
  /** The templates and the last upload that the form can start from. */
  start?: UploadStart;
  /** The uploaders' terms, if they must be accepted. */
  terms?: Terms;
  /** Text that shows how much of their quota the uploader has used, if they have a quota. */
  quota?: string;
  failure?: UploadFailure;
}) {
  const form = useRef<HTMLFormElement>(null);
  const hydrated = useHydrated();
  const mayPublish = usePermissions()("/admin publish");
  const [rejected, setRejected] = useState<UploadFailure>();
  const { revalidate } = useRevalidator();
  // The revalidated page detects that the session has ended, and shows a message.
  const queue = useUploadQueue(
    useCallback((failure) => setRejected(failure), []),
    revalidate,
  );
  const { items, patch, dispatch } = queue;
  const choose = useChosenFiles(form, queue, limits);
  const isOver = useFileDrop(choose);
  const forgetTyped = useSavedTexts(form, "upload-texts", SAVED_FIELDS, failure === undefined);
  const forgetTexts = useCallback(() => {
    forgetTyped();
    forgetSchedule();
  }, [forgetTyped]);
  const toast = useToast();
  const [resets, setResets] = useState(0);
  // The defaults stay the same as when the form was opened, because revalidation must not change fields that are being
  // edited.
  const [first] = useState<UploadTexts>({ ...NO_TEXTS, ...textsOf(start?.texts) });

  const question = failure?.duplicate ?? failure?.cutOff ?? failure?.waiting;
  const isConfirmation = question !== undefined && items.length === 0;
  const sendable = items.filter(canBeSent);
  const open = items.filter((item) => !isFinished(item));
  const several = open.length > 1;
  const isUploading = items.some(isUnderWay);
  const isPosted = useRef(false);
  const isAllDone = open.length === 0 && items.some(({ state }) => state === "done");
  const isEmptied = useRef(false);
  useLeaveWarning((nextPath) => {
    if (isUploading) return UNDER_WAY;
    if (isPosted.current) return undefined;
    if (open.length > 0) return NOT_UPLOADED;
    // The links to uploaded videos appear just before the form is reset.
    if (isAllDone && !isEmptied.current) return undefined;
    // After the user has signed in again, only the text is restored.
    if (nextPath === "/auth") return undefined;
    return failure || isChanged(form.current) ? NOT_UPLOADED : undefined;
  }, forgetTexts);

  // The form is reset once the last upload has succeeded.
  useEffect(() => {
    isEmptied.current = isAllDone;
    if (!isAllDone) return;
    form.current?.reset();
    forgetTexts();
    setResets((count) => count + 1);
    setRejected(undefined);
  }, [isAllDone, forgetTexts]);

  function send(event: FormEvent<HTMLFormElement>) {
    // The file is already on the server, so the browser submits the form as it would without JavaScript.
    if (isConfirmation) {
      isPosted.current = true;
      forgetTexts();
      return;
    }
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const { submitter } = event.nativeEvent as SubmitEvent;
    const intent =
      submitter instanceof HTMLButtonElement && submitter.value === "draft" ? "draft" : "publish";
    const typed = { ...NO_TEXTS };
    for (const name of FIELDS) typed[name] = String(fields.get(name) ?? "");
    const accepted = fields.get("terms")?.toString();
    const thumbnail = fields.get("thumbnail");
    const chosen =
      !several && thumbnail instanceof File && thumbnail.size > 0 ? thumbnail : undefined;
    // Checked before the first byte is sent, since the scheduled time may pass during the upload.
    const scheduled = readSchedule(typed, Date.now());
    if ("fields" in scheduled) {
      const [message = MESSAGES.failed] = Object.values(scheduled.fields);
      setRejected({ message, texts: typed, fields: scheduled.fields });
      toast({ title: "Error", description: message, kind: "error" });
      return;
    }
    setRejected(undefined);
    for (const item of sendable) {
      const texts = textsFor(item, typed, several);
      const thumbnail = chosen ?? item.thumbnail;
      patch(item.key, {
        state: "waiting",
        sent: { texts, intent, terms: accepted },
        thumbnail,
        message: "",
      });
    }
  }

  /** The thumbnail of a single video: a file or a frame, whichever was selected last. */
  function chooseThumbnail(thumbnail: Blob | undefined) {
    if (!(thumbnail instanceof File)) {
      const field = form.current?.elements.namedItem("thumbnail");
      if (field instanceof HTMLInputElement) field.value = "";
    }
    if (only) patch(only.key, { thumbnail });
  }

  const only = !several && sendable.length === 1 ? sendable[0] : undefined;
  const media = (
    <div
      key="media"
      // When content appears or disappears here, the text fields next to it must not move.
      className="flex min-w-0 flex-col gap-4 max-lg:order-first lg:col-start-1 lg:row-span-2 lg:row-start-1 lg:[overflow-anchor:none]"
    >
      {only && (
        <FramePicker file={only.file} chosen={only.thumbnail} onChoose={chooseThumbnail} isLarge />
      )}
      {isConfirmation && failure && <QuestionNotice failure={failure} />}
      {!isConfirmation && (
        <>
          <input type="hidden" name="duplicate" value="ask" />
          <input type="hidden" name="incomplete" value="ask" />
          <FileDropArea
            label={hydrated ? "Videos" : "Video"}
            name="video"
            required={sendable.length === 0}
            multiple={hydrated}
            accept="video/*,.mkv,.avi,.ts,.flv,.wmv,.asf,.mxf,.m1v,.m2v,.vob"
            hint={hydrated ? `${videoHint(limits)}. Or drop files anywhere.` : videoHint(limits)}
            hydrated={hydrated}
            isSmall={open.length > 0}
            error={failure?.fields.video}
            onChange={(event) => choose([...(event.currentTarget.files ?? [])])}
          />
        </>
      )}
      {several && sendable.length > 1 && <PasteLines items={sendable} dispatch={dispatch} />}
      {items.length > 0 && (
        <ul aria-label="Queue" className="flex flex-col gap-3">
          {items.map((item) => (
            <UploadItem
              key={item.key}
              item={item}
              queue={queue}
              isEditable={several}
              isFirst={item === open[0]}
              onOwn={(own) => dispatch({ type: "own", key: item.key, own })}
            />
          ))}
        </ul>
      )}
      {hydrated && items.length === 0 && <UnfinishedUploads />}
    </div>
  );
  const texts = (
    <div key="texts" className="flex min-w-0 flex-col gap-5 lg:col-start-2 lg:row-start-1">
      <UploadTextFields
        key={failure ? JSON.stringify(failure.texts) : `empty ${resets}`}
        texts={failure?.texts ?? first}
        wrong={(rejected ?? failure)?.fields ?? {}}
        limits={limits}
        several={several}
        isFresh={failure === undefined}
        startChoice={
          start && <StartChoice start={start} onChoose={(texts) => fillIn(form.current, texts)} />
        }
        onThumbnail={chooseThumbnail}
      />
      <TermsField
        terms={latestTerms(terms, failure?.terms, rejected?.terms)}
        accepted={failure?.acceptedTerms}
        error={(rejected ?? failure)?.fields.terms}
      />
    </div>
  );
  return (
    <form
      ref={form}
      method="post"
      action="/admin"
      encType="multipart/form-data"
      onSubmit={send}
      className="flex max-w-6xl flex-col gap-5"
    >
      {failure?.message && !rejected && (
        <FailureNotice toast={{ title: "Error", description: failure.message, kind: "error" }} />
      )}
      {quota && <p className="text-sm text-muted figures">{quota}</p>}
      <div className="grid items-start gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,1.1fr)_minmax(0,1fr)] lg:grid-rows-[auto_1fr]">
        {/* The file is shown first. Without JavaScript it comes last, so that the text before it is
            kept if the file is rejected while it is being sent. */}
        {hydrated ? [media, texts] : [texts, media]}
        <div className="flex flex-wrap gap-3 lg:col-start-2 lg:row-start-2">
          {mayPublish && (
            <Button
              name="intent"
              value="publish"
              busy={isUploading && sendable.length === 0}
              busyLabel="Uploading..."
            >
              {sendable.length > 1 ? `Upload ${sendable.length} Videos` : "Upload Video"}
            </Button>
          )}
          <Button
            name="intent"
            value="draft"
            variant={mayPublish ? "secondary" : "primary"}
            disabled={isUploading && sendable.length === 0}
          >
            Save as Draft
          </Button>
        </div>
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

const LIFE_MS = 24 * 3_600 * 1000;

/** Uploads interrupted by a reload. Selecting the same file again resumes its upload. */
function UnfinishedUploads() {
  const [names, setNames] = useState<string[]>([]);
  useEffect(() => {
    let gone = false;
    unfinishedUploads()
      .then((uploads) => {
        const young = uploads.filter(
          ({ creationTime }) => Date.now() - Date.parse(creationTime) < LIFE_MS,
        );
        const found = young.map(({ metadata }) => metadata.filename ?? "").filter(Boolean);
        if (!gone) setNames([...new Set(found)]);
      })
      .catch(() => {});
    return () => {
      gone = true;
    };
  }, []);
  if (names.length === 0) return null;
  return (
    <p className="text-sm text-muted">
      Interrupted uploads: <strong className="font-medium text-ink">{names.join(", ")}</strong>.
      Select the same file to resume.
    </p>
  );
}
