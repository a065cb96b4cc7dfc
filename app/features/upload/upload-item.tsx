import { useState } from "react";
import { consentHref } from "~/features/consent/consent";
import { usePermissions } from "~/features/permissions/use-permissions";
import { incompleteMessage } from "~/shared/cut-off";
import { formatBytes } from "~/shared/format-bytes";
import { MAX_TITLE_LENGTH } from "~/shared/video-limits";
import { Button } from "~/ui/button";
import { Field, FileField, SelectField } from "~/ui/forms/field";
import { FramePicker } from "./frame-picker";
import type { UploadFailure, UploadTexts } from "./upload-fields";
import { type ItemState, progressFigures, type QueueItem } from "./upload-queue";
import { CategoryOptions } from "./upload-text-fields";
import type { UploadQueue } from "./use-upload-queue";

/** A file in the queue, with its progress and actions. */
export function UploadItem({
  item,
  queue,
  isEditable,
  isFirst,
  onOwn,
}: {
  item: QueueItem;
  queue: UploadQueue;
  /** Whether the file has its own text fields, because there are several files. */
  isEditable: boolean;
  /** Whether the file is the first of several; the frames of the first file are shown immediately. */
  isFirst: boolean;
  onOwn: (own: Partial<UploadTexts>) => void;
}) {
  const { file, state, own } = item;
  const may = usePermissions();
  const small = { size: "sm", type: "button" } as const;
  return (
    <li className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <p className="min-w-0 font-medium break-words">{item.sent?.texts.title || file.name}</p>
        <p className="text-sm text-muted figures">
          {own.duration && state === "chosen" ? `${own.duration} · ` : ""}
          {formatBytes(file.size)}
        </p>
      </div>
      {state === "chosen" && isEditable && (
        <OwnFields
          item={item}
          isFirst={isFirst}
          onOwn={onOwn}
          onThumbnail={(thumbnail) => queue.patch(item.key, { thumbnail })}
        />
      )}
      <UploadProgress item={item} />
      {state === "duplicate" && item.duplicate && (
        <p className="text-sm">
          Duplicate of <DuplicateLink duplicate={item.duplicate} />
        </p>
      )}
      {state === "cut off" && item.cutOff && (
        <p className="text-sm">{incompleteMessage(item.cutOff)}</p>
      )}
      {state === "done" && item.videoId && item.isPublished && (
        <a
          href={`/video/${item.videoId}`}
          className="text-sm text-accent underline underline-offset-4"
        >
          Watch video
        </a>
      )}
      {state === "done" &&
        item.videoId &&
        item.needsConsent &&
        may("/admin/videos/:id/consent") && (
          <a
            href={consentHref(item.videoId)}
            aria-label={`Record consent for ${item.sent?.texts.title || file.name}`}
            className="py-2.5 text-sm text-accent underline underline-offset-4"
          >
            Record consent
          </a>
        )}
      <div className="flex flex-wrap gap-2">
        {state === "sending" && (
          <Button {...small} variant="secondary" onClick={() => void queue.pause(item)}>
            Pause
          </Button>
        )}
        {state === "paused" && (
          <Button {...small} onClick={() => queue.again(item)}>
            Resume
          </Button>
        )}
        {state === "failed" && !item.unrecoverable && (
          <Button {...small} onClick={() => queue.again(item)}>
            Retry
          </Button>
        )}
        {state === "duplicate" && (
          <Button {...small} onClick={() => queue.accept(item, "duplicate")}>
            Upload anyway
          </Button>
        )}
        {state === "cut off" && (
          <Button {...small} onClick={() => queue.accept(item, "cut off")}>
            Publish the incomplete video
          </Button>
        )}
        {state !== "publishing" && state !== "done" && (
          <Button {...small} variant="ghost" onClick={() => void queue.remove(item)}>
            {state === "chosen" || !item.sent ? "Remove" : "Cancel"}
          </Button>
        )}
      </div>
    </li>
  );
}

function OwnFields({
  item: { file, own, thumbnail },
  isFirst,
  onOwn,
  onThumbnail,
}: {
  item: QueueItem;
  isFirst: boolean;
  onOwn: (own: Partial<UploadTexts>) => void;
  onThumbnail: (thumbnail: Blob | undefined) => void;
}) {
  const [isUnfolded, setIsUnfolded] = useState(isFirst);
  return (
    <>
      <Field
        label="Title"
        required
        maxLength={MAX_TITLE_LENGTH}
        value={own.title}
        onChange={(event) => onOwn({ title: event.currentTarget.value })}
      />
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <SelectField
          label="Category"
          value={own.category}
          onChange={(event) => onOwn({ category: event.currentTarget.value })}
        >
          <option value="">Use default</option>
          <CategoryOptions />
        </SelectField>
        <Field
          label="Tags"
          placeholder="Use default"
          value={own.tags}
          onChange={(event) => onOwn({ tags: event.currentTarget.value })}
        />
      </div>
      <details open={isUnfolded} onToggle={(event) => setIsUnfolded(event.currentTarget.open)}>
        <summary className="inline-flex min-h-11 items-center text-sm text-muted underline underline-offset-4 hover:text-ink">
          Thumbnail and frames
        </summary>
        <div className="flex flex-col gap-3 pt-1">
          <FileField
            label="Thumbnail"
            accept="image/*"
            onChange={(event) => onThumbnail(event.currentTarget.files?.[0])}
          />
          {isUnfolded && <FramePicker file={file} chosen={thumbnail} onChoose={onThumbnail} />}
        </div>
      </details>
    </>
  );
}

const WORDS: Record<ItemState, string> = {
  chosen: "",
  waiting: "Queued",
  sending: "Uploading...",
  paused: "Paused",
  publishing: "Saving…",
  duplicate: "Duplicate",
  "cut off": "Incomplete",
  failed: "Failed",
  done: "Uploaded",
};

/** An upload's progress as text and as a bar. */
function UploadProgress({ item }: { item: QueueItem }) {
  const { state, message, sentBytes, bytesPerSecond, file } = item;
  if (state === "chosen") return null;
  const share = file.size > 0 ? sentBytes / file.size : 0;
  const hasBar = state === "sending" || state === "paused" || state === "publishing";
  return (
    <div className="flex flex-col gap-2">
      {hasBar && <UploadBar label={`Upload of ${file.name}`} share={share} />}
      {state === "failed" ? (
        <Failure item={item} />
      ) : (
        <p className="text-sm text-muted figures">
          {[
            message || WORDS[state],
            ...(state === "sending" ? progressFigures(file.size, sentBytes, bytesPerSecond) : []),
          ].join(" · ")}
        </p>
      )}
    </div>
  );
}

/** @param share the progress, from 0 to 1. */
export function UploadBar({ label, share }: { label: string; share: number }) {
  return (
    <div
      role="progressbar"
      aria-label={label}
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
  );
}

/**
 * A file that can't be sent shows the reason. A server error is shown as a toast, which disappears, so the queue entry
 * also contains the error in a collapsed section.
 */
function Failure({ item: { sent, message } }: { item: QueueItem }) {
  if (!sent) {
    return (
      <p role="alert" className="text-sm text-bad">
        {message}
      </p>
    );
  }
  return (
    <details className="text-sm text-bad">
      <summary className="inline-flex min-h-11 items-center gap-1.5">
        {WORDS.failed}
        <span className="underline underline-offset-4">Why?</span>
      </summary>
      <p>{message}</p>
    </details>
  );
}

/**
 * Replaces the file input while a file on the server awaits a decision, since the file doesn't have to be sent again.
 */
export function QuestionNotice({
  failure: { duplicate, cutOff, waiting },
}: {
  failure: UploadFailure;
}) {
  const another = (
    <a href="/admin" className="underline underline-offset-4">
      choose another file
    </a>
  );
  return (
    <div className="rounded-lg border border-line bg-surface p-4 text-sm">
      <input type="hidden" name="upload" value={(duplicate ?? cutOff ?? waiting)?.upload} />
      <input type="hidden" name="duplicate" value={waiting ? "ask" : "keep"} />
      <input type="hidden" name="incomplete" value={cutOff ? "keep" : "ask"} />
      <p className="break-words">
        {duplicate && (
          <>
            Duplicate of <DuplicateLink duplicate={duplicate} />. Upload it anyway, or {another}.
          </>
        )}
        {cutOff && (
          <>
            {incompleteMessage(cutOff)} Upload it anyway to publish the incomplete video, save it as
            a draft, or {another}.
          </>
        )}
        {waiting && (
          <>
            <bdi className="font-medium">{waiting.fileName}</bdi> was uploaded. Accept the terms to
            continue, or {another}.
          </>
        )}
      </p>
    </div>
  );
}

/** Links to the video's page if the video is public, or else to the list of videos. */
function DuplicateLink({
  duplicate,
}: {
  duplicate: { id: string; title: string; isPublic: 0 | 1 };
}) {
  const to = duplicate.isPublic
    ? `/video/${duplicate.id}`
    : `/admin?tab=manage&edit=${duplicate.id}`;
  return (
    <a href={to} className="font-medium text-accent underline underline-offset-4">
      <bdi>{duplicate.title}</bdi>
    </a>
  );
}
