import type { ReactNode } from "react";
import { usePermissions } from "~/features/permissions/use-permissions";
import { shownCategories } from "~/shared/categories";
import type { FileLimits } from "~/shared/file-rules";
import { MAX_TITLE_LETTERS } from "~/shared/video-limits";
import { Field, FileField, SelectField, TextAreaField } from "~/ui/forms/field";
import type { UploadField, UploadTexts } from "./upload-fields";
import { thumbnailHint } from "./upload-fields";
import { UploadSchedule } from "./upload-schedule";

/** The fields beside the file: of the one video, or what several videos share. */
export function UploadTextFields({
  texts,
  wrong,
  limits,
  several,
  isFresh,
  startChoice,
  onThumbnail,
}: {
  texts: UploadTexts;
  wrong: Partial<Record<UploadField, string>>;
  limits: FileLimits;
  several: boolean;
  /** The texts are none that were sent before. */
  isFresh: boolean;
  /** What fills in the fields after the title. */
  startChoice: ReactNode;
  onThumbnail: (file: File | undefined) => void;
}) {
  const mayPublish = usePermissions()("/admin publish");
  return (
    <>
      {several && (
        <p className="text-sm text-muted">
          What stands here goes for every video of the queue that has nothing of its own.
        </p>
      )}
      <div className={several ? "hidden" : undefined}>
        <Field
          label="Title"
          name="title"
          required={!several}
          maxLength={MAX_TITLE_LETTERS}
          defaultValue={texts.title}
          error={wrong.title}
        />
      </div>
      {startChoice}
      <DetailFields texts={texts} wrong={wrong} />
      <div className={several ? "hidden" : "contents"}>
        <Field
          label="Duration"
          name="duration"
          placeholder="5:30"
          hint="Detected from the video"
          defaultValue={texts.duration}
          error={wrong.duration}
        />
        <FileField
          label="Thumbnail"
          name="thumbnail"
          accept="image/*"
          hint={thumbnailHint(limits)}
          error={wrong.thumbnail}
          onChange={(event) => onThumbnail(event.currentTarget.files?.[0])}
        />
      </div>
      {mayPublish && <UploadSchedule typed={texts} wrong={wrong} isFresh={isFresh} />}
    </>
  );
}

/** The texts of a new video beside its title. */
export function DetailFields({
  texts,
  wrong,
}: {
  texts: Pick<UploadTexts, "description" | "category" | "tags">;
  wrong: Partial<Record<"description" | "category" | "tags", string>>;
}) {
  return (
    <>
      <TextAreaField
        label="Description"
        name="description"
        required
        defaultValue={texts.description}
        error={wrong.description}
      />
      <SelectField
        label="Category"
        name="category"
        required
        defaultValue={texts.category}
        error={wrong.category}
      >
        <option value="">Select a category</option>
        <CategoryOptions />
      </SelectField>
      <Field
        label="Tags"
        name="tags"
        hint="Separated by commas"
        defaultValue={texts.tags}
        error={wrong.tags}
      />
    </>
  );
}

export function CategoryOptions() {
  return shownCategories().map(({ id, label }) => (
    <option key={id} value={id}>
      {label}
    </option>
  ));
}
