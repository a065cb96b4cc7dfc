import { Form, useNavigation } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import type { ConsentState } from "~/features/consent/consent";
import type { AcceptedTerms } from "~/features/moderation/uploaders/terms";
import { AcceptedLine } from "~/features/moderation/uploaders/terms-field";
import { usePermissions } from "~/features/permissions/use-permissions";
import { thumbnailHint } from "~/features/upload/upload-fields";
import { CategoryOptions } from "~/features/upload/upload-text-fields";
import { failure, GONE } from "~/platform/failure";
import { isCategoryId, toCategoryId } from "~/shared/categories";
import type { FileLimits } from "~/shared/file-rules";
import type { StoryboardFrame } from "~/shared/streams/storyboard";
import { MAX_DESCRIPTION_LETTERS, MAX_TITLE_LETTERS } from "~/shared/video-limits";
import { Button, ButtonLink } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { Field, FileField, SelectField, TextAreaField } from "~/ui/forms/field";
import { isChanged, useLeaveWarning } from "~/ui/forms/use-leave-warning";
import { useHydrated } from "~/ui/use-hydrated";
import type { EditableVideo } from "../list/managed-video";
import type { EditTexts, FormFailure } from "../rejected-form";
import { SeriesFields } from "../series/series-fields";
import type { SeriesChoice } from "../series/series-list.server";
import { SignInPrompt } from "../sign-in-prompt";
import { CaptionsFields } from "./captions-fields";
import { EditConflict } from "./edit-conflict";
import { EditedVideo } from "./edited-video";
import { MomentPicker } from "./moment-picker";

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

const UNSAVED = "Your changes are not saved. Leave them all the same?";

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
  const form = useRef<HTMLFormElement>(null);
  const sending = useRef(false);
  useLeaveWarning(() => {
    // What was refused is not saved either, though the form was shown with it.
    const isUnsaved = !sending.current && (error !== undefined || isChanged(form.current));
    return isUnsaved ? UNSAVED : undefined;
  });
  useEffect(() => {
    if (!updating) sending.current = false;
  }, [updating]);
  return (
    <Dialog title="Edit Video" description={video.title} closeTo={closeTo} wide>
      {signedOut && <SignInPrompt link="Sign In" isInDialog />}
      {isGone && <FailureNotice toast={failure(404, GONE).toast} />}
      {error && <FailureNotice toast={error.toast} detail={error.detail} />}
      {edit && error?.status === 409 && <EditConflict current={edit.current} texts={edit.texts} />}
      <EditedVideo
        video={video}
        origin={origin}
        consent={consent}
        replaceHref={`${closeTo}&replace=${encodeURIComponent(video.id)}`}
        trimHref={`${closeTo}&trim=${encodeURIComponent(video.id)}`}
      />
      <AcceptedLine accepted={accepted} />
      <Form
        ref={form}
        onSubmit={() => {
          sending.current = true;
        }}
        method="post"
        encType="multipart/form-data"
        action={editHref(closeTo, video.id)}
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
          maxLength={MAX_TITLE_LETTERS}
          defaultValue={texts.title}
          error={fields.title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <TextAreaField
          label="Description"
          name="description"
          maxLength={MAX_DESCRIPTION_LETTERS}
          defaultValue={texts.description}
          error={fields.description}
        />
        <div className="grid gap-5 sm:grid-cols-2">
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
          <MomentPicker
            videoUrl={video.videoUrl}
            moment={edit?.moment}
            error={fields.frame}
            frames={frames}
            form={form}
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

/** The list with this dialog open, so that a form that is refused finds itself there again. */
function editHref(list: string, id: string): string {
  return `${list}&edit=${encodeURIComponent(id)}`;
}

function initialTexts(video: EditableVideo): EditTexts {
  return { ...video, tags: video.tags.join(", ") };
}
