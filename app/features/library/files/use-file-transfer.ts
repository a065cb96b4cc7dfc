import { useCallback, useEffect, useRef, useState } from "react";
import { forgetTransfer, startTransfer, type Transfer } from "~/features/upload/resumable-transfer";
import { SENTENCES } from "~/features/upload/upload-fields";
import { throughputMeter, timeLeft } from "~/features/upload/upload-queue";
import { formatBytes } from "~/shared/format-bytes";

const INTERRUPTED = "Connection lost. Trying again...";

/** How far one file is on its way to the server. */
export interface FileTransfer {
  /** 0 to 1; undefined while nothing is sent. */
  share: number | undefined;
  /** Percent, speed and time left, or what it waits for. */
  text: string;
  /** Why it has failed. */
  error: string | undefined;
  /** @param terms the version of the uploaders' terms that is accepted. */
  start(file: File, terms: string | undefined): void;
  cancel(): void;
}

/** Sends one file over tus. `onArrived` is given the name by which a form sends it on. */
export function useFileTransfer(onArrived: (upload: string) => void): FileTransfer {
  const [share, setShare] = useState<number>();
  const [text, setText] = useState("");
  const [error, setError] = useState<string>();
  const running = useRef<Promise<Transfer>>();
  const arrived = useRef(onArrived);
  arrived.current = onArrived;

  const stop = useCallback((reason?: string) => {
    running.current = undefined;
    setShare(undefined);
    setError(reason);
  }, []);

  const start = useCallback(
    (file: File, terms: string | undefined) => {
      const speed = throughputMeter(() => performance.now());
      setShare(0);
      setText("");
      setError(undefined);
      const transfer = startTransfer(
        file,
        {
          onProgress(sent) {
            setShare(file.size > 0 ? sent / file.size : 1);
            setText(figures(file.size, sent, speed(sent)));
          },
          onInterrupted: () => setText(INTERRUPTED),
          onArrived(upload) {
            stop();
            void forgetTransfer(file);
            arrived.current(upload);
          },
          onFailed: (sentence) => stop(sentence),
        },
        { terms },
      );
      running.current = transfer;
      transfer.catch(() => stop(SENTENCES.failed));
    },
    [stop],
  );

  const cancel = useCallback(() => {
    void running.current?.then((transfer) => transfer.cancel()).catch(() => {});
    stop();
  }, [stop]);

  // What was sent stays: the same file goes on from there.
  useEffect(
    () => () => void running.current?.then((transfer) => transfer.pause()).catch(() => {}),
    [],
  );

  return { share, text, error, start, cancel };
}

function figures(size: number, sent: number, bytesPerSecond: number): string {
  const left = timeLeft(size - sent, bytesPerSecond);
  return [
    `${Math.floor(size > 0 ? (sent * 100) / size : 100)}%`,
    ...(bytesPerSecond > 0 ? [`${formatBytes(bytesPerSecond)}/s`] : []),
    ...(left ? [`${left} left`] : []),
  ].join(" · ");
}
