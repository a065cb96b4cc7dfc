import type { ReactNode } from "react";
import { classNames } from "./class-names";

type Tone = "plain" | "good" | "warn" | "accent" | "shade";

const TONES: Record<Tone, string> = {
  plain: "bg-raised text-muted",
  good: "bg-good/15 text-good",
  warn: "bg-warn/15 text-warn",
  accent: "bg-accent text-on-accent",
  /** For a badge on an image of any color. */
  shade: "bg-shade/80 text-ink",
};

/** A word or number on a colored background. */
export function Badge({
  tone = "plain",
  className,
  children,
}: {
  tone?: Tone;
  className?: string;
  children: ReactNode;
}) {
  return (
    <span
      className={classNames(
        "inline-flex items-center rounded-sm px-2 py-0.5 text-xs font-medium figures",
        TONES[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}

/**
 * A video's status: green for published, yellow for in review, and gray for anything else (specification, section 4).
 *
 * @param isHeld whether the video is on hold, and therefore not public despite its status.
 */
export function StatusBadge({ status, isHeld = false }: { status: string; isHeld?: boolean }) {
  const tone = status === "published" ? "good" : status === "review" ? "warn" : "plain";
  return (
    <>
      <Badge tone={tone} className="capitalize">
        {status}
      </Badge>
      {isHeld && (
        <Badge tone="warn" className="ml-1">
          On hold
        </Badge>
      )}
    </>
  );
}

/** Marks a video whose files may contain metadata about the location, device or author. */
export function MetadataBadge() {
  return (
    <Badge tone="warn" className="self-start">
      Private metadata
    </Badge>
  );
}
