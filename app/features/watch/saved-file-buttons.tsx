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

/** Carries what this browser stores to another one as a file. Neither step asks the server for anything. */
export function SavedFileButtons() {
  const hasStored = useHasStored();
  const show = useToast();
  const input = useRef<HTMLInputElement>(null);

  async function importFile({ currentTarget }: ChangeEvent<HTMLInputElement>) {
    const file = currentTarget.files?.[0];
    // The same file may be chosen again.
    const done = () => {
      currentTarget.value = "";
    };
    if (!file) return;
    const problem = (description: string) => {
      show({ kind: "error", title: "Nothing was imported", description });
      done();
    };
    if (file.size > SAVED_FILE_MAX_BYTES) return problem("The file is too large for saved videos.");
    let text: string;
    try {
      text = await file.text();
    } catch {
      return problem("The file could not be read.");
    }
    const parsed = parseSavedFile(text);
    if (!parsed)
      return problem("The file holds no saved videos. Choose one that was exported here.");
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
        Export
      </Button>
      <Button type="button" variant="secondary" size="sm" onClick={() => input.current?.click()}>
        <Upload aria-hidden="true" className="size-4" />
        Import
      </Button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        aria-label="File of saved videos"
        hidden
        onChange={importFile}
      />
    </div>
  );
}

/** What became of the entries that were not added. */
export function importReport(
  known: number,
  left: number,
  ignored: number,
  isStored: boolean,
): string | undefined {
  const messages = [
    known > 0 && `${formatQuantity(known, "video")} ${known === 1 ? "was" : "were"} saved already.`,
    left > 0 && `${formatQuantity(left, "video")} did not fit: at most ${MAX_SAVED} can be saved.`,
    ignored > 0 &&
      `${ignored === 1 ? "One entry was" : `${ignored} entries were`} not understood and left out.`,
    !isStored && "They last until this page is closed: your browser stores nothing for this site.",
  ];
  return messages.filter(Boolean).join(" ") || undefined;
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: SAVED_FILE_NAME });
  link.click();
  // The browser has begun to read it by the next task.
  setTimeout(() => URL.revokeObjectURL(url));
}
