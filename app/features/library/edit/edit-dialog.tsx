import { Form, Link, useNavigation } from "@remix-run/react";
import { Copy } from "lucide-react";
import { useState } from "react";
import { PLACEHOLDER_URL } from "~/features/catalogue/poster";
import { type ConsentState, consentHref } from "~/features/consent/consent";
import { ConsentLine } from "~/features/consent/consent-line";
import type { AcceptedTerms } from "~/features/moderation/uploaders/terms";
import { AcceptedLine } from "~/features/moderation/uploaders/terms-field";
import { usePermissions } from "~/features/permissions/use-permissions";
import { thumbnailHint } from "~/features/upload/upload-fields";
import { CategoryOptions } from "~/features/upload/upload-text-fields";
import { failure, GONE } from "~/platform/failure";
import { categoryLabel, isCategoryId, toCategoryId } from "~/shared/categories";
import type { FileLimits } from "~/shared/file-rules";
import { videoStatisticsHref } from "~/shared/statistics-address";
import type { StoryboardFrame } from "~/shared/streams/storyboard";
import { MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH } from "~/shared/video-limits";
import { MetadataBadge, StatusBadge } from "~/ui/badge";
import { Button, ButtonLink } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { useToast } from "~/ui/feedback/toast";
import { Field, FileField, SelectField, TextAreaField } from "~/ui/forms/field";
import { useUnsavedWarning } from "~/ui/forms/use-leave-warning";
import { copyText } from "~/ui/share";
import { useHydrated } from "~/ui/use-hydrated";
import { DifferenceTable } from "../difference-table";
import type { EditableVideo, EditTexts, FormFailure } from "../managed-video";
import { SeriesFields } from "../series/series-fields";
import type { SeriesChoice } from "../series/series-list.server";
import { SignInPrompt } from "../signed-out";
import { CaptionsFields } from "./captions-fields";
import { PositionPicker } from "./position-picker";

/** What the edit dialog needs to know of the site. */
export interface EditSurroundings {
  limits: FileLimits;
  /** The session has ended while the page was open. */
  signedOut: boolean;
  /** Scheme and host of the public site. */
  origin: string;
  /** What there is to choose of series. */
  series?: SeriesChoice;
  /** The pictures of the video's storyboard. */
  frames?: StoryboardFrame[];
  /** What was accepted for the video; undefined where no terms were ever written. */
  accepted?: AcceptedTerms[];
  /** How the video's record stands, where one is required. */
  consent?: ConsentState;
}

/** Edits a video. After a failure the texts are those that were sent, not those of the row. */
export function EditDialog({
  video,
  error,
  isGone = false,
  closeTo,
  limits,
  signedOut,
  origin,
  series,
  frames = [],
  accepted,
  consent,
}: {
  video: EditableVideo;
  error?: FormFailure;
  /** It was deleted while the dialog was open. */
  isGone?: boolean;
  /** The address of the list alone. */
  closeTo: string;
} & EditSurroundings) {
  const edit = error?.edit;
  // Texts and version when the form was opened: the live refresh brings the row's newer ones, which must
  // not change what somebody is about to type over.
  const [version] = useState(edit?.version ?? video.version);
  const [texts] = useState(edit?.texts ?? initialTexts(video));
  const [title, setTitle] = useState(texts.title);
  const hydrated = useHydrated();
  const may = usePermissions();
  const updating = useNavigation().formData?.get("intent") === "update";
  const fields = edit?.fields ?? {};
  const category = toCategoryId(texts.category);
  const unsaved = useUnsavedWarning(updating, error !== undefined);
  return (
    <Dialog title="Edit Video" description={video.title} closeTo={closeTo} wide>
      {signedOut && <SignInPrompt link="Sign In" isInDialog />}
      {isGone && <FailureNotice toast={failure(404, GONE).toast} />}
      {error && <FailureNotice toast={error.toast} detail={error.detail} />}
      {edit && error?.status === 409 && <EditConflict current={edit.current} texts={edit.texts} />}
      <EditedVideo video={video} origin={origin} consent={consent} list={closeTo} />
      <AcceptedLine accepted={accepted} />
      <Form
        {...unsaved}
        method="post"
        encType="multipart/form-data"
        // The list with this dialog open, so that a form that is refused finds itself there again.
        action={`${closeTo}&edit=${encodeURIComponent(video.id)}`}
        preventScrollReset
        className="flex flex-col gap-5"
      >
        <input type="hidden" name="intent" value="update" />
        <input type="hidden" name="id" value={video.id} />
        <input type="hidden" name="version" value={version} />
        <Field
          label="Title"
          name="title"
          required
          maxLength={MAX_TITLE_LENGTH}
          defaultValue={texts.title}
          error={fields.title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <TextAreaField
          label="Description"
          name="description"
          maxLength={MAX_DESCRIPTION_LENGTH}
          defaultValue={texts.description}
          error={fields.description}
        />
        <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
          <SelectField
            label="Category"
            name="category"
            defaultValue={category ?? ""}
            error={fields.category}
          >
            {!isCategoryId(category) && <option value="">Choose a category</option>}
            <CategoryOptions />
          </SelectField>
          <Field
            label="Duration"
            name="duration"
            hint="minutes:seconds, such as 5:30"
            defaultValue={texts.duration}
            error={fields.duration}
          />
        </div>
        <Field
          label="Tags"
          name="tags"
          hint="Separated by commas"
          defaultValue={texts.tags}
          error={fields.tags}
        />
        <FileField
          label="Thumbnail"
          name="thumbnail"
          accept="image/*"
          hint={`Replaces the picture there is. ${thumbnailHint(limits)}`}
          error={fields.thumbnail}
        />
        {video.videoUrl && (
          <PositionPicker
            videoUrl={video.videoUrl}
            moment={edit?.moment}
            error={fields.frame}
            frames={frames}
            form={unsaved.ref}
          />
        )}
        <CaptionsFields captions={video.captions} error={fields.captions} />
        {series && may("/admin/series/:id?") && (
          <SeriesFields choice={series} error={fields.series} />
        )}
        <div className="flex flex-wrap justify-end gap-3">
          <ButtonLink to={closeTo} preventScrollReset variant="ghost">
            Cancel
          </ButtonLink>
          <Button
            busy={updating}
            busyLabel="Updating..."
            disabled={hydrated && title.trim() === ""}
          >
            Update
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function initialTexts(video: EditableVideo): EditTexts {
  return { ...video, tags: video.tags.join(", ") };
}

/** What is saved now beside what was about to be saved, line by line where they differ. */
function EditConflict({ current, texts }: { current: EditableVideo; texts: EditTexts }) {
  const both = {
    Title: [current.title, texts.title],
    Description: [current.description, texts.description],
    Category: [categoryLabel(current.category), categoryLabel(texts.category)],
    Duration: [current.duration, texts.duration],
    Tags: [current.tags.join(", "), texts.tags],
  };
  const rows = Object.entries(both).flatMap(([name, [before = "", after = ""]]) =>
    before === after ? [] : [{ id: name, title: name, before, after }],
  );
  if (rows.length === 0) {
    return (
      <p className="text-sm text-muted">
        Your texts are what is saved now; only the file, the thumbnail or the visibility has
        changed.
      </p>
    );
  }
  return (
    <DifferenceTable
      label="What differs"
      headings={["Field", "Saved now", "Yours"]}
      rows={rows}
      empty="(empty)"
    />
  );
}

/** What is edited: the picture as it is, the status, and where the public finds the video. */
function EditedVideo({
  video,
  origin,
  consent,
  list,
}: {
  video: EditableVideo;
  origin: string;
  /** How its record stands, where one is required. */
  consent: ConsentState | undefined;
  /** The address of the list alone. */
  list: string;
}) {
  const hydrated = useHydrated();
  const may = usePermissions();
  const show = useToast();
  const id = encodeURIComponent(video.id);
  const path = `/video/${id}`;
  const address = origin + path;
  const isPublic = video.status === "published" && !video.isHeld;

  async function copy() {
    if (await copyText(address)) {
      show({ kind: "success", title: "Link copied", description: "It is in your clipboard." });
    } else {
      const description = `The link could not be copied: ${address}`;
      show({ kind: "error", title: "Error", description });
    }
  }

  return (
    <div className="grid gap-4 sm:grid-cols-[12rem_minmax(0,1fr)]">
      <img
        src={video.thumbnailUrl ?? PLACEHOLDER_URL}
        alt="Thumbnail as it is"
        width={640}
        height={360}
        className="aspect-video w-full rounded-md bg-raised object-cover"
      />
      <div className="flex min-w-0 flex-col items-start gap-2 text-sm">
        <div className="flex flex-wrap gap-1">
          <StatusBadge status={video.status} isHeld={video.isHeld} />
          {video.hasMetadata && <MetadataBadge />}
        </div>
        {video.hasMetadata && (
          <p className="text-muted">
            Another tool added the files of this video. They may contain a location, a device or an
            author. To remove these, run <code>npm run jobs -- --all</code>.
          </p>
        )}
        <p className="text-muted">
          {isPublic ? "Public at" : "Not public. Once it is published, it is at"}
        </p>
        <p className="flex w-full min-w-0 items-center gap-2">
          <Link
            to={path}
            target="_blank"
            className="min-w-0 break-all text-accent underline underline-offset-4"
          >
            {address}
          </Link>
          {hydrated && (
            <Button
              type="button"
              variant="ghost"
              size="sm"
              aria-label="Copy the public address"
              title="Copy the public address"
              onClick={copy}
              className="min-h-11 min-w-11 shrink-0"
            >
              <Copy aria-hidden="true" className="size-4" />
            </Button>
          )}
        </p>
        <div className="flex flex-wrap gap-2">
          <ButtonLink to={`${list}&replace=${id}`} preventScrollReset variant="secondary" size="sm">
            Replace the file
          </ButtonLink>
          <ButtonLink to={`${list}&trim=${id}`} preventScrollReset variant="secondary" size="sm">
            Start and end
          </ButtonLink>
          <ButtonLink to={videoStatisticsHref(video.id)} variant="secondary" size="sm">
            Statistics
          </ButtonLink>
          {may("/admin/videos/:id/consent") && !consent && (
            <ButtonLink to={consentHref(video.id)} variant="secondary" size="sm">
              Consent
            </ButtonLink>
          )}
        </div>
        <ConsentLine id={video.id} title={video.title} state={consent} />
      </div>
    </div>
  );
}
