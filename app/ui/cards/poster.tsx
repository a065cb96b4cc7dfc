import type { CSSProperties, ReactNode } from "react";
import { classNames } from "../class-names";
import placeholder from "./placeholder.svg";

/** The picture that stands in for a video without a thumbnail. */
export const PLACEHOLDER_URL: string = placeholder;

/**
 * The hue of the colours that wait for the picture, always the same for the same video. It stays
 * within the violet and warm part of the circle, so that a grid of them looks calm.
 */
export function posterHue(id: string): number {
  let hash = 0;
  for (const letter of id) hash = (Math.imul(hash, 0x9e3779b1) + letter.charCodeAt(0)) >>> 0;
  return 260 + ((hash >>> 8) % 150);
}

/** What waits for the picture: its own colours, run into each other, or those of its video. */
function ground(id: string, colors: string | undefined) {
  if (!colors) return { "--hue": posterHue(id) };
  const [nw, ne, sw, se] = [0, 6, 12, 18].map((at) => `#${colors.slice(at, at + 6)}`);
  return { "--nw": nw, "--ne": ne, "--sw": sw, "--se": se };
}

/** In small letters, because React 18 does not know the attribute by another name. */
const AT_ONCE = { loading: "eager", fetchpriority: "high" } as const;
const LATER = { loading: "lazy" } as const;

/**
 * The smaller versions that each thumbnail of ours has at its address. The width of the thumbnail
 * itself is its limit; one that is smaller is asked for by the same screens.
 */
function versionsOf(url: string | null, sizes: string) {
  if (!url?.startsWith("/media/thumbnails/")) return undefined;
  return { srcSet: `${url}?w=480 480w, ${url}?w=720 720w, ${url} 1280w`, sizes };
}

/** A 16:9 picture whose space is reserved before it is loaded. */
export function Poster({
  id,
  url,
  colors,
  transitionName,
  isFirst = false,
  sizes,
  className,
  children,
}: {
  id: string;
  url: string | null;
  /** Of the picture's quarters, when they are known. */
  colors?: string;
  /** Names the picture for a view transition to the next page. */
  transitionName?: string;
  /** On the screen from the start: it loads at once, before what is further down. */
  isFirst?: boolean;
  /** How wide it is shown, for the attribute of the same name. */
  sizes: string;
  className?: string;
  children?: ReactNode;
}) {
  const style = { ...ground(id, colors), viewTransitionName: transitionName } as CSSProperties;
  return (
    <div style={style} className={classNames("poster", colors && "poster-own", className)}>
      <img
        {...versionsOf(url, sizes)}
        src={url ?? PLACEHOLDER_URL}
        alt=""
        width={640}
        height={360}
        {...(isFirst ? AT_ONCE : LATER)}
        decoding="async"
      />
      {children}
    </div>
  );
}
