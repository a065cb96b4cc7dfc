import { Clapperboard } from "lucide-react";
import {
  type InputHTMLAttributes,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import type { FileLimits } from "~/shared/file-rules";
import { titleFromFileName } from "~/shared/file-title";
import { formatDuration } from "~/shared/format";
import { buttonClass } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { useToast } from "~/ui/feedback/toast";
import { FieldNotes } from "~/ui/forms/field";
import { detectDuration } from "./frame-picker";
import { NO_TEXTS } from "./upload-fields";
import { fileError, isFinished, type QueueItem } from "./upload-queue";
import type { UploadQueue } from "./use-upload-queue";

/**
 * The upload form's file input, shown as a large drop area. With JavaScript, the browser's file control is invisible
 * and covers the whole area. Without JavaScript, the control is visible inside the area, because it is the only
 * indication of which file is selected.
 */
export function FileDropArea({
  label,
  hint,
  error,
  hydrated,
  isSmall,
  ...input
}: {
  label: string;
  hint: string;
  error?: string;
  hydrated: boolean;
  /** Whether files have already been selected. Files dropped here are added to them. */
  isSmall: boolean;
} & Omit<InputHTMLAttributes<HTMLInputElement>, "type">) {
  const id = useId();
  const described = [error && `${id}-error`, `${id}-hint`].filter(Boolean).join(" ");
  return (
    <div
      className={classNames(
        "relative flex flex-col items-center justify-center gap-2 rounded-lg border-2 border-dashed bg-surface p-5 text-center transition-colors",
        "hover:border-accent has-focus-visible:focused has-focus-visible:outline-offset-3",
        error ? "border-bad" : "border-line-strong",
        isSmall ? "min-h-24" : "min-h-56 lg:min-h-80",
      )}
    >
      {!isSmall && <Clapperboard aria-hidden="true" className="size-10 text-accent" />}
      <label htmlFor={id} className="font-semibold">
        {label}
        {input.required && (
          <span aria-hidden="true" className="text-accent">
            {" *"}
          </span>
        )}
      </label>
      <input
        {...input}
        id={id}
        type="file"
        aria-invalid={error ? true : undefined}
        aria-describedby={described}
        className={
          hydrated
            ? "absolute inset-0 cursor-pointer opacity-0"
            : "max-w-full text-sm text-muted file:mr-4 file:min-h-11 file:rounded-sm file:bg-raised file:px-3 file:font-medium file:text-ink"
        }
      />
      {hydrated && (
        <span aria-hidden="true" className={buttonClass("secondary", isSmall ? "sm" : "md")}>
          {isSmall ? "Choose More" : "Choose Files"}
        </span>
      )}
      <FieldNotes {...{ id, hint, error }} />
    </div>
  );
}

/** Accepts files dropped anywhere on the page. Returns whether files are currently being dragged over it. */
export function useFileDrop(onDrop: (files: File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const drop = useRef(onDrop);
  drop.current = onDrop;

  useEffect(() => {
    // A child's `dragenter` event fires before its parent's `dragleave` event, so both are counted.
    let depth = 0;
    const listening = new AbortController();
    const on = (
      type: "dragenter" | "dragleave" | "dragover" | "drop",
      work: (event: DragEvent) => void,
    ) =>
      window.addEventListener(
        type,
        (event) => event.dataTransfer?.types.includes("Files") && work(event),
        { signal: listening.signal },
      );
    const enterOrLeave = (by: number) => {
      depth = Math.max(0, depth + by);
      setOver(depth > 0);
    };
    on("dragenter", () => enterOrLeave(1));
    on("dragleave", () => enterOrLeave(-1));
    on("dragover", (event) => event.preventDefault());
    on("drop", (event) => {
      event.preventDefault();
      enterOrLeave(-depth);
      drop.current([...(event.dataTransfer?.files ?? [])]);
    });
    return () => listening.abort();
  }, []);
  return over;
}

/**
 * Adds selected and dropped files to the queue, each with its duration and a title derived from its name. A single file
 * also fills in the form fields.
 */
export function useChosenFiles(
  form: RefObject<HTMLFormElement>,
  { items, dispatch }: Pick<UploadQueue, "items" | "dispatch">,
  limits: FileLimits,
): (files: File[]) => void {
  const toast = useToast();
  const current = useRef(items);
  current.current = items;

  const choose = useCallback(
    (files: File[]) => {
      if (files.length === 0) return;
      const done = current.current.filter(isFinished);
      dispatch({ type: "remove", keys: done.map(({ key }) => key) });
      const added = files.map((file) => newItem(file, limits));
      dispatch({ type: "add", items: added });

      const input = control(form.current, "video");
      // The files are now in the queue. Clearing the input allows the same file to be selected again.
      if (input) input.value = "";
      const isOnly = current.current.length === done.length && added.length === 1;
      const title = control(form.current, "title");
      if (isOnly && !added[0]!.unrecoverable && title?.value === "")
        title.value = added[0]!.own.title;
      for (const item of added) {
        // The reason is shown in the file's queue entry.
        if (item.unrecoverable) continue;
        detectDuration(item.file).then((seconds) => {
          const duration = formatDuration(seconds ?? 0);
          dispatch({ type: "own", key: item.key, own: { duration } });
          const field = isOnly ? control(form.current, "duration") : undefined;
          if (field) field.value = duration;
          if (seconds === undefined) return;
          const description = `Video duration: ${duration}`;
          toast({ title: "Duration Detected", description, kind: "success" });
        });
      }
    },
    [dispatch, form, limits, toast],
  );

  // Adds the files that were selected before hydration.
  const adopt = useRef(choose);
  useEffect(() => {
    adopt.current([...(control(form.current, "video")?.files ?? [])]);
  }, [form]);
  return choose;
}

function control(form: HTMLFormElement | null, name: string): HTMLInputElement | undefined {
  const found = form?.elements.namedItem(name);
  return found instanceof HTMLInputElement ? found : undefined;
}

function newItem(file: File, limits: FileLimits): QueueItem {
  const message = fileError(file, limits);
  return {
    key: crypto.getRandomValues(new Uint32Array(4)).join("-"),
    file,
    own: { ...NO_TEXTS, title: titleFromFileName(file.name) },
    state: message ? "failed" : "chosen",
    sentBytes: 0,
    bytesPerSecond: 0,
    ...(message && { message, unrecoverable: true }),
  };
}
