import { FileField, SelectField } from "~/ui/forms/field";
import type { EditableVideo } from "../managed-video";

/** Prefix of the names of the checkboxes that remove captions; the URL of the captions follows. */
export const CAPTIONS_REMOVE = "removeCaptions:";

/** The languages offered for added captions. */
const LANGUAGES = {
  ar: "Arabic",
  bn: "Bangla",
  bg: "Bulgarian",
  zh: "Chinese",
  hr: "Croatian",
  cs: "Czech",
  da: "Danish",
  nl: "Dutch",
  en: "English",
  et: "Estonian",
  fi: "Finnish",
  fr: "French",
  de: "German",
  el: "Greek",
  gu: "Gujarati",
  he: "Hebrew",
  hi: "Hindi",
  hu: "Hungarian",
  id: "Indonesian",
  it: "Italian",
  ja: "Japanese",
  kn: "Kannada",
  ko: "Korean",
  lv: "Latvian",
  lt: "Lithuanian",
  ms: "Malay",
  ml: "Malayalam",
  mr: "Marathi",
  no: "Norwegian",
  fa: "Persian",
  pl: "Polish",
  pt: "Portuguese",
  pa: "Punjabi",
  ro: "Romanian",
  ru: "Russian",
  sr: "Serbian",
  sk: "Slovak",
  sl: "Slovenian",
  es: "Spanish",
  sv: "Swedish",
  ta: "Tamil",
  te: "Telugu",
  th: "Thai",
  tr: "Turkish",
  uk: "Ukrainian",
  ur: "Urdu",
  vi: "Vietnamese",
};

/** The part of the edit form about captions: those that are there, and one more. */
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
                  {added ? " · added here" : " · from the file"}
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
      <div className="grid gap-5 sm:grid-cols-[2fr_1fr]">
        <FileField
          label="Add captions"
          name="captions"
          accept=".srt,.vtt,text/vtt,application/x-subrip"
          hint="SRT or WebVTT up to 2MB. Replaces those of the same language"
          error={error}
        />
        <SelectField label="Their language" name="captionsLanguage" defaultValue="en">
          {Object.entries(LANGUAGES).map(([tag, name]) => (
            <option key={tag} value={tag}>
              {name}
            </option>
          ))}
        </SelectField>
      </div>
    </fieldset>
  );
}
