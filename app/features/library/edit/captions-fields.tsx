import { FileField, SelectField } from "~/ui/forms/field";
import type { EditableVideo } from "../managed-video";

/** The prefix for the names of the checkboxes that remove captions. It is followed by the captions' URL. */
export const CAPTIONS_REMOVE = "removeCaptions:";

/** The languages offered for uploaded captions. */
const LANGUAGES =
  "ar bn bg zh hr cs da nl en et fi fr de el gu he hi hu id it ja kn ko lv lt ms ml mr no fa pl pt pa ro ru sr sk sl es sv ta te th tr uk ur vi".split(
    " ",
  );
const NAMES = new Intl.DisplayNames("en", { type: "language" });

/** The fields in the edit form that remove captions and upload new ones. */
export function CaptionsFields({
  captions,
  error,
}: {
  captions: EditableVideo["captions"];
  error?: string;
}) {
  return (
    <fieldset className="flex flex-col gap-4 rounded-lg border border-line p-4">
      <legend className="px-1 text-sm font-medium">Captions</legend>
      {captions.length > 0 && (
        <ul className="flex flex-col">
          {captions.map(({ url, label, added }) => (
            <li key={url} className="flex min-h-11 flex-wrap items-center justify-between gap-x-4">
              <span>
                {label}
                <span className="text-sm text-muted">
                  {added ? " · uploaded" : " · from the video file"}
                </span>
              </span>
              <label className="flex min-h-11 items-center gap-2.5 text-sm">
                <input
                  type="checkbox"
                  name={`${CAPTIONS_REMOVE}${url}`}
                  aria-label={`Remove ${label}`}
                  className="size-5 shrink-0"
                />
                Remove
              </label>
            </li>
          ))}
        </ul>
      )}
      <div className="grid grid-cols-1 gap-5 sm:grid-cols-[2fr_1fr]">
        <FileField
          label="Add captions"
          name="captions"
          accept=".srt,.vtt,text/vtt,application/x-subrip"
          hint="SRT or WebVTT up to 2MB. Replaces existing captions in that language."
          error={error}
        />
        <SelectField label="Caption language" name="captionsLanguage" defaultValue="en">
          {LANGUAGES.map((tag) => (
            <option key={tag} value={tag}>
              {NAMES.of(tag)}
            </option>
          ))}
        </SelectField>
      </div>
    </fieldset>
  );
}
