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

/** The context for the edit dialog: limits, the site's origin, and data about the video. */
export interface EditContext {
  limits: FileLimits;
  /** Whether the session ended while the page was open. */
  signedOut: boolean;
  /** The site's scheme and host. */
  origin: string;
  /** The video's series, and suggestions. */
  series?: SeriesChoice;
  /** The frames of the video's storyboard. */
  frames?: StoryboardFrame[];
  /** The terms that were accepted for the video; undefined if the site has never had terms. */
  accepted?: AcceptedTerms[];
  /** The state of the video's consent record, if one is required. */
  consent?: ConsentState;
}

/**
 * The dialog for editing a video. After a failure, the form shows the submitted text instead of the text in the row.
 */
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
  /** Whether the video was deleted while the dialog was open. */
  isGone?: boolean;
  /** The URL of the list without a dialog. */
  closeTo: string;
} & EditContext) {
  const edit = error?.edit;
  // Keeps the text and version from when the form was opened, because a live refresh must not change fields that
  // someone is editing.
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
        // The URL of the list with this dialog open. The form is submitted to this URL, so that the dialog is shown
        // again if the form is rejected.
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
          hint={`Replaces the current thumbnail. ${thumbnailHint(limits)}`}
          error={fields.thumbnail}
        />
        {video.videoUrl && (
          <PositionPicker
            videoUrl={video.videoUrl}
            position={edit?.frame}
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

/** A table of the fields whose saved values differ from the submitted values. */
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
        Your text matches the saved version. Only the file, thumbnail or visibility has changed.
      </p>
    );
  }
  return (
    <DifferenceTable
      label="Differences"
      headings={["Field", "Saved version", "Your version"]}
      rows={rows}
      empty="(empty)"
    />
  );
}

/** The thumbnail, status and public link of the video being edited, and links to its other dialogs. */
function EditedVideo({
  video,
  origin,
  consent,
  list,
}: {
  video: EditableVideo;
  origin: string;
  /** The state of the video's consent record, if one is required. */
  consent: ConsentState | undefined;
  /** The URL of the list without a dialog. */
  list: string;
}) {
  const hydrated = useHydrated();
  const may = usePermissions();
  const show = useToast();
  const id = encodeURIComponent(video.id);
  const path = `/video/${id}`;
  const url = origin + path;
  const isPublic = video.status === "published" && !video.isHeld;

  async function copy() {
    if (await copyText(url)) {
      show({
        kind: "success",
        title: "Link copied",
        description: "The link is on your clipboard.",
      });
    } else {
      const description = `Couldn’t copy the link: ${url}`;
      show({ kind: "error", title: "Error", description });
    }
  }

  return (
    <div className="grid gap-4 sm:grid-cols-[12rem_minmax(0,1fr)]">
      <img
        src={video.thumbnailUrl ?? PLACEHOLDER_URL}
        alt="Current thumbnail"
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
            Another tool added this video’s files. Their metadata may include a location, device or
            author. To remove it, run <code>npm run jobs -- --all</code>.
          </p>
        )}
        <p className="text-muted">{isPublic ? "Link" : "Link after publishing"}</p>
        <p className="flex w-full min-w-0 items-center gap-2">
          <Link
            to={path}
            target="_blank"
            className="min-w-0 break-all text-accent underline underline-offset-4"
          >
            {url}
          </Link>
          {hydrated && (
            <Button
              type="button"
              variant="ghost"
              size="sm"
              aria-label="Copy link"
              title="Copy link"
              onClick={copy}
              className="min-h-11 min-w-11 shrink-0"
            >
              <Copy aria-hidden="true" className="size-4" />
            </Button>
          )}
        </p>
        <div className="flex flex-wrap gap-2">
          <ButtonLink to={`${list}&replace=${id}`} preventScrollReset variant="secondary" size="sm">
            Replace file
          </ButtonLink>
          <ButtonLink to={`${list}&trim=${id}`} preventScrollReset variant="secondary" size="sm">
            Trim
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
