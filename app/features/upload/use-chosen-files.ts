import { type RefObject, useCallback, useEffect, useRef } from "react";
import type { FileLimits } from "~/shared/file-rules";
import { titleFromFileName } from "~/shared/file-title";
import { formatDuration } from "~/shared/format";
import { useToast } from "~/ui/feedback/toast";
import { NO_TEXTS } from "./upload-fields";
import { fileError, isFinished, type QueueItem } from "./upload-queue";
import type { UploadQueue } from "./use-upload-queue";
import { detectDuration } from "./video-frames";

/**
 * Puts chosen and dropped files into the queue, each with a title from its name and its duration.
 * A single file also fills the form's own fields.
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
      // The queue owns the files from here on; an empty input lets the same file be chosen again.
      if (input) input.value = "";
      const isOnly = current.current.length === done.length && added.length === 1;
      const title = control(form.current, "title");
      if (isOnly && !added[0]!.unrecoverable && title?.value === "")
        title.value = added[0]!.own.title;
      for (const item of added) {
        // Its entry in the queue says why.
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

  // Files that were chosen before hydration.
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
  const sentence = fileError(file, limits);
  return {
    key: crypto.getRandomValues(new Uint32Array(4)).join("-"),
    file,
    own: { ...NO_TEXTS, title: titleFromFileName(file.name) },
    state: sentence ? "failed" : "chosen",
    sentBytes: 0,
    bytesPerSecond: 0,
    ...(sentence && { sentence, unrecoverable: true }),
  };
}
