import { Download, Upload } from "lucide-react";
import { type ChangeEvent, useRef } from "react";
import { storedFields, useHasStored } from "~/features/visitor/browser-storage";
import {
  parseSavedFile,
  SAVED_FILE_MAX_BYTES,
  SAVED_FILE_NAME,
  savedFile,
} from "~/features/visitor/saved-file";
import { addSavedVideos, MAX_SAVED } from "~/features/visitor/saved-videos";
import { addStoredFields } from "~/features/visitor/transfer";
import { formatQuantity } from "~/shared/format";
import { Button } from "~/ui/button";
import { useToast } from "~/ui/feedback/toast";

/**
 * Exports the data stored in this browser to a file, and imports such a file. Neither requires a request to the server.
 */
export function SavedFileButtons() {
  const hasStored = useHasStored();
  const show = useToast();
  const input = useRef<HTMLInputElement>(null);

  async function importFile({ currentTarget }: ChangeEvent<HTMLInputElement>) {
    const file = currentTarget.files?.[0];
    // Clearing the input allows the same file to be selected again.
    const done = () => {
      currentTarget.value = "";
    };
    if (!file) return;
    const problem = (description: string) => {
      show({ kind: "error", title: "Import failed", description });
      done();
    };
    if (file.size > SAVED_FILE_MAX_BYTES)
      return problem("This file is too large for a list of saved videos.");
    let text: string;
    try {
      text = await file.text();
    } catch {
      return problem("Couldn’t read the file.");
    }
    const parsed = parseSavedFile(text);
    if (!parsed)
      return problem("This file contains no saved videos. Choose one exported from this site.");
    if (parsed.data) addStoredFields(parsed.data);
    const { added, known, left, isStored } = addSavedVideos(parsed.ids);
    show({
      kind: "success",
      title: `${formatQuantity(added, "video")} imported`,
      description: importReport(known, left, parsed.ignored, isStored),
    });
    done();
  }

  return (
    <div className="flex flex-wrap gap-2">
      <Button
        type="button"
        variant="secondary"
        size="sm"
        aria-disabled={!hasStored || undefined}
        onClick={() => hasStored && download(savedFile(storedFields()))}
      >
        <Download aria-hidden="true" className="size-4" />
        Export list
      </Button>
      <Button type="button" variant="secondary" size="sm" onClick={() => input.current?.click()}>
        <Upload aria-hidden="true" className="size-4" />
        Import list
      </Button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        aria-label="Saved videos file"
        hidden
        onChange={importFile}
      />
    </div>
  );
}

/** Returns a message about the entries that weren't added. */
export function importReport(
  known: number,
  left: number,
  ignored: number,
  isStored: boolean,
): string | undefined {
  const messages = [
    known > 0 && `${formatQuantity(known, "video")} ${known === 1 ? "was" : "were"} already saved.`,
    left > 0 &&
      `${formatQuantity(left, "video")} ${left === 1 ? "wasn’t" : "weren’t"} added: you can save up to ${MAX_SAVED}.`,
    ignored > 0 &&
      `${ignored === 1 ? "1 entry couldn’t be read and was" : `${ignored} entries couldn’t be read and were`} skipped.`,
    !isStored && "Saved until you close this tab. Your browser blocks storage for this site.",
  ];
  return messages.filter(Boolean).join(" ") || undefined;
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: SAVED_FILE_NAME });
  link.click();
  // The URL is revoked in a later task, after the browser has started reading it.
  setTimeout(() => URL.revokeObjectURL(url));
}
