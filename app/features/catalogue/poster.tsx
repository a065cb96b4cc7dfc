import type { CSSProperties, ReactNode } from "react";
import { classNames } from "~/ui/class-names";
import placeholder from "~/ui/placeholder.svg";

/** The image for a video without a thumbnail. */
export const PLACEHOLDER_URL: string = placeholder;

/**
 * Returns the hue and angle of a video's gradient, in degrees. The hue stays between blue and orange, so that a grid
 * without thumbnails looks calm.
 */
export function posterGradient(id: string): { hue: number; angle: number } {
  let hash = 0;
  for (const char of id) hash = Math.imul(hash + char.charCodeAt(0), 0x9e3779b1);
  return { hue: 250 + ((hash >>> 20) % 170), angle: (hash >>> 8) % 360 };
}

/**
 * Returns the background behind an image: the colors of the image's quarters, or the video's gradient. This takes fewer
 * bytes than a tiny image and, unlike a BlurHash, doesn't need a script.
 */
function background(id: string, colors: string | undefined) {
  if (!colors) {
    const { hue, angle } = posterGradient(id);
    return { "--hue": hue, "--angle": `${angle}deg` };
  }
  const [nw, ne, sw, se] = [0, 6, 12, 18].map((at) => `#${colors.slice(at, at + 6)}`);
  return { "--nw": nw, "--ne": ne, "--sw": sw, "--se": se };
}

/** Lowercase, because React 18 doesn't support `fetchPriority`. */
const EAGER = { loading: "eager", fetchpriority: "high" } as const;
const LAZY = { loading: "lazy" } as const;

/**
 * Returns the `srcset` for a thumbnail stored on this site; undefined for other images. 1280 pixels is the maximum
 * width of a thumbnail. Narrower thumbnails are declared with this width too, so that the browser chooses them on the
 * same screens.
 */
function srcSetOf(url: string | null, sizes: string) {
  if (!url?.startsWith("/media/thumbnails/")) return undefined;
  return { srcSet: `${url}?w=480 480w, ${url}?w=720 720w, ${url} 1280w`, sizes };
}

/** A 16:9 image whose space is reserved before it is loaded. */
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
  /** The colors of the image's quarters, if known. */
  colors?: string;
  /** The image's name in the view transition to the next page. */
  transitionName?: string;
  /** Whether the image is in the first row, so that it loads immediately with high priority. */
  isFirst?: boolean;
  /** The `sizes` attribute. */
  sizes: string;
  className?: string;
  children?: ReactNode;
}) {
  const style = { ...background(id, colors), viewTransitionName: transitionName } as CSSProperties;
  return (
    <div
      style={style}
      className={classNames("poster", colors && "poster-own", !url && "poster-none", className)}
    >
      <img
        {...srcSetOf(url, sizes)}
        src={url ?? PLACEHOLDER_URL}
        alt=""
        width={640}
        height={360}
        {...(isFirst ? EAGER : LAZY)}
        decoding="async"
      />
      {children}
    </div>
  );
}
