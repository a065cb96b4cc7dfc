import type { CSSProperties, ReactNode } from "react";
import { classNames } from "./class-names";
import placeholder from "./placeholder.svg";

/** The picture that stands in for a video without a thumbnail. */
export const PLACEHOLDER_URL: string = placeholder;

/**
 * Colours for the time before the picture is there, always the same ones for the same video.
 * They stay within the violet and warm part of the circle, so that a grid of them looks calm.
 */
export function posterGradient(id: string): string {
  let hash = 0;
  for (const letter of id) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
  const hue = 260 + (hash % 150);
  return `linear-gradient(135deg, oklch(0.34 0.05 ${hue}), oklch(0.2 0.03 ${hue + 40}))`;
}

/** A 16:9 picture whose place is there before it is. */
export function Poster({
  id,
  url,
  transitionName,
  className,
  children,
}: {
  id: string;
  url: string | null;
  /** Names the picture for a view transition to the next page. */
  transitionName?: string;
  className?: string;
  children?: ReactNode;
}) {
  const style = {
    backgroundImage: posterGradient(id),
    viewTransitionName: transitionName,
  } as CSSProperties;
  return (
    <div
      style={style}
      className={classNames(
        "relative aspect-video overflow-hidden rounded-lg bg-raised",
        className,
      )}
    >
      <img
        src={url ?? PLACEHOLDER_URL}
        alt=""
        width={640}
        height={360}
        loading="lazy"
        decoding="async"
        className="absolute inset-0 size-full object-cover"
      />
      {children}
    </div>
  );
}
