import type { MouseEvent, ReactNode } from "react";

/** How a page leads to the moments of its video. */
export interface Moments {
  /** Of the video; 0 while unknown. */
  durationSeconds: number;
  hrefFor(seconds: number): string;
  /** Plays from there on without leaving the page; false when it can't. */
  playFrom(seconds: number): boolean;
}

/** A link to a moment of the video on this page, which its player goes to without loading anything. */
export function MomentLink({
  seconds,
  moments,
  className,
  children,
}: {
  seconds: number;
  moments: Moments;
  className?: string;
  children: ReactNode;
}) {
  function open(event: MouseEvent) {
    const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (isPlain && event.button === 0 && moments.playFrom(seconds)) event.preventDefault();
  }
  return (
    <a href={moments.hrefFor(seconds)} onClick={open} className={className}>
      {children}
    </a>
  );
}
