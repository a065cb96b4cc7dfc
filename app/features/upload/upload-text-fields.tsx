import { type ReactNode, useEffect, useState } from "react";
import { usePermissions } from "~/features/permissions/use-permissions";
import { NO_SCHEDULE, type TypedSchedule } from "~/features/visibility/schedule";
import { shownCategories } from "~/shared/categories";
import type { FileLimits } from "~/shared/file-rules";
import { MAX_TITLE_LENGTH } from "~/shared/video-limits";
import { DateTimeField } from "~/ui/forms/date-time-field";
import { Field, FileField, SelectField, TextAreaField } from "~/ui/forms/field";
import { thumbnailHint, type UploadField, type UploadTexts } from "./upload-fields";

/** The text fields next to the file: for a single video, or shared by several. */
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
  /** Whether this is the first time that the text is being entered, rather than after a failed submission. */
  isFresh: boolean;
  /** Fills in the fields that follow the title. */
  startChoice: ReactNode;
  onThumbnail: (file: File | undefined) => void;
}) {
  const mayPublish = usePermissions()("/admin publish");
  return (
    <>
      {several && (
        <p className="text-sm text-muted">
          Applies to every queued video unless you change it there.
        </p>
      )}
      <div className={several ? "hidden" : undefined}>
        <Field
          label="Title"
          name="title"
          required={!several}
          maxLength={MAX_TITLE_LENGTH}
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

/** The text fields for a new video, except its title. */
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

const STORAGE_KEY = "upload-schedule";

/**
 * The schedule of an upload, which is collapsed, since most videos are published immediately. Like the form's text,
 * typed values are restored after a reload (`use-saved-texts.ts`), but this component must do so, because the displayed
 * time isn't a field of the form.
 */
function UploadSchedule({
  typed,
  wrong,
  isFresh,
}: {
  /** The initial values of the fields. */
  typed: TypedSchedule;
  wrong: Partial<TypedSchedule>;
  /** Whether nothing has been submitted yet, so that saved values may replace the initial ones. */
  isFresh: boolean;
}) {
  const [shown, setShown] = useState<TypedSchedule>(typed);
  const [current, setCurrent] = useState<TypedSchedule>(typed);
  const [isOpen, setIsOpen] = useState(hasTime(typed));
  useEffect(() => {
    const saved = isFresh ? readSaved() : undefined;
    if (!saved) return;
    setShown(saved);
    setCurrent(saved);
    setIsOpen(true);
  }, [isFresh]);
  const isWrong = Boolean(wrong.publishAt ?? wrong.unpublishAt);
  const set = (name: keyof TypedSchedule) => (timestamp: string) => {
    const next = { ...current, [name]: timestamp };
    setCurrent(next);
    if (hasTime(next)) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(next));
    else forgetSchedule();
  };
  return (
    <details open={isOpen || isWrong} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="inline-flex min-h-11 items-center text-sm text-muted underline underline-offset-4 hover:text-ink">
        Schedule
      </summary>
      <div key={JSON.stringify(shown)} className="grid grid-cols-1 gap-5 pt-1 xl:grid-cols-2">
        <DateTimeField
          label="Publish at"
          name="publishAt"
          value={shown.publishAt}
          hint="The video stays a draft until then. Leave blank to publish it manually."
          error={wrong.publishAt}
          onPosition={set("publishAt")}
        />
        <DateTimeField
          label="Hide at"
          name="unpublishAt"
          value={shown.unpublishAt}
          hint="Leave blank to keep it public."
          error={wrong.unpublishAt}
          onPosition={set("unpublishAt")}
        />
      </div>
    </details>
  );
}

/** Deletes the saved values once they have been submitted or discarded. */
export function forgetSchedule(): void {
  sessionStorage.removeItem(STORAGE_KEY);
}

const hasTime = ({ publishAt, unpublishAt }: TypedSchedule) => Boolean(publishAt || unpublishAt);

function readSaved(): TypedSchedule | undefined {
  try {
    const saved: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null");
    if (typeof saved !== "object" || saved === null) return undefined;
    const { publishAt, unpublishAt } = { ...NO_SCHEDULE, ...saved };
    return { publishAt: String(publishAt), unpublishAt: String(unpublishAt) };
  } catch {
    return undefined;
  }
}
