import { formatBytes } from "~/shared/format-bytes";
import { type ItemState, type QueueItem, timeLeft } from "./upload-queue";

const WORDS: Record<ItemState, string> = {
  chosen: "",
  waiting: "Waiting for its turn",
  sending: "Uploading...",
  paused: "Paused",
  publishing: "Publishing...",
  duplicate: "Already in the catalogue",
  failed: "Failed",
  done: "Uploaded",
};

/** How far an upload is, in words and as a bar. */
export function UploadProgress({ item }: { item: QueueItem }) {
  const { state, sentence, sentBytes, file } = item;
  if (state === "chosen") return null;
  const share = file.size > 0 ? sentBytes / file.size : 0;
  const percent = Math.floor(share * 100);
  const hasBar = state === "sending" || state === "paused" || state === "publishing";
  return (
    <div className="flex flex-col gap-2">
      {hasBar && (
        <div
          role="progressbar"
          aria-label={`Upload of ${file.name}`}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={percent}
          className="h-1.5 overflow-hidden rounded-full bg-raised"
        >
          <div
            className="h-full origin-left bg-accent transition-transform"
            style={{ transform: `scaleX(${share})` }}
          />
        </div>
      )}
      <p
        role={state === "failed" ? "alert" : undefined}
        className={`text-sm tabular-nums ${state === "failed" ? "text-bad" : "text-muted"}`}
      >
        {[sentence || WORDS[state], ...(state === "sending" ? figures(item, percent) : [])].join(
          " · ",
        )}
      </p>
    </div>
  );
}

function figures({ file, sentBytes, bytesPerSecond }: QueueItem, percent: number): string[] {
  const left = timeLeft(file.size - sentBytes, bytesPerSecond);
  return [
    `${percent}%`,
    ...(bytesPerSecond > 0 ? [`${formatBytes(bytesPerSecond)}/s`] : []),
    ...(left ? [`${left} left`] : []),
  ];
}
