import { Form } from "@remix-run/react";
import { CATEGORY_IDS, categoryLabel } from "~/catalogue/categories";
import { formatBytes } from "~/media/format-bytes";
import { Button } from "~/ui/button";
import { Field, FileField, SelectField, TextAreaField } from "~/ui/field";
import { DuplicateNotice } from "./duplicate-notice";
import { FailureNotice } from "./failure-notice";
import { NO_TEXTS, type UploadFailure, type UploadLimits } from "./upload-fields";

/** The Upload tab of the admin panel. */
export function UploadForm({ limits, failure }: { limits: UploadLimits; failure?: UploadFailure }) {
  const texts = failure?.texts ?? NO_TEXTS;
  const wrong = failure?.fields ?? {};
  return (
    <Form
      method="post"
      action="/admin"
      encType="multipart/form-data"
      reloadDocument
      className="flex max-w-3xl flex-col gap-5"
    >
      {failure && (
        <FailureNotice toast={{ title: "Error", description: failure.sentence, kind: "error" }} />
      )}
      <Field
        label="Title"
        name="title"
        required
        maxLength={200}
        defaultValue={texts.title}
        error={wrong.title}
      />
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
        {CATEGORY_IDS.map((id) => (
          <option key={id} value={id}>
            {categoryLabel(id)}
          </option>
        ))}
      </SelectField>
      <Field
        label="Tags"
        name="tags"
        hint="Separated by commas"
        defaultValue={texts.tags}
        error={wrong.tags}
      />
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
        hint={`PNG, JPG, GIF up to ${formatBytes(limits.maxThumbnailBytes)}`}
        error={wrong.thumbnail}
      />
      {failure?.duplicate ? (
        <DuplicateNotice duplicate={failure.duplicate} />
      ) : (
        <FileField
          label="Video"
          name="video"
          required
          accept="video/*"
          hint={`MP4, MOV, AVI up to ${formatBytes(limits.maxVideoBytes)}`}
          error={wrong.video}
        />
      )}
      <div className="flex flex-wrap gap-3">
        <Button name="intent" value="publish">
          Upload Video
        </Button>
        <Button name="intent" value="draft" variant="secondary">
          Save as Draft
        </Button>
      </div>
    </Form>
  );
}
