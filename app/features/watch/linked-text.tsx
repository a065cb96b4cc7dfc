import type { MouseEvent, ReactNode } from "react";
import { parseUrl } from "~/shared/addresses";
import { formatDuration } from "~/shared/format";
import { type Chapter, type TimedPart, timedParts } from "~/shared/timestamps";
import { isForBrowser } from "~/ui/page-link";

const ADDRESS = /\bhttps?:\/\/[^\s<>"]+/gi;
/** Punctuation that ends a sentence isn't part of a URL. */
const TRAILING = ".,;:!?'\")]}»”";

/** A segment of text: plain text, a link, or a timestamp in the video. */
export interface TextPart extends TimedPart {
  href?: string;
}

/** Splits text at its http and https URLs. */
export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    let address = match[0];
    // A loop is used, because a regular expression would backtrack on a long run of punctuation.
    while (TRAILING.includes(address.at(-1) ?? " ")) address = address.slice(0, -1);
    if (!parseUrl(address)) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    parts.push({ text: address, href: address });
    end = match.index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/**
 * Text whose line breaks are kept. The text direction of each line is determined separately. URLs become links that
 * send no referrer, and timestamps become links to those positions in the video.
 */
export function LinkedText({ text, seekLinks }: { text: string; seekLinks: SeekLinks }) {
  const parts = textParts(text).flatMap((part): TextPart[] =>
    part.href ? [part] : timedParts(part.text, seekLinks.durationSeconds),
  );
  return (
    <p dir="auto" className="whitespace-pre-line [unicode-bidi:plaintext]">
      {parts.map(({ text: words, href, seconds }, index) => {
        if (seconds !== undefined) {
          return (
            <TimestampLink key={index} seconds={seconds} seekLinks={seekLinks} className={LINK}>
              {words}
            </TimestampLink>
          );
        }
        if (!href) return words;
        return (
          <a
            key={index}
            href={href}
            target="_blank"
            rel="nofollow ugc noopener noreferrer"
            className={`break-all ${LINK}`}
          >
            {words}
          </a>
        );
      })}
    </p>
  );
}

const LINK = "text-accent underline underline-offset-4";

/** The video's chapters, as links to their start times. */
export function ChapterList({
  chapters,
  seekLinks,
}: {
  chapters: Chapter[];
  seekLinks: SeekLinks;
}) {
  return (
    <nav aria-labelledby="chapters-heading" className="mt-6">
      <h2 id="chapters-heading" className="text-lg font-semibold">
        Chapters
      </h2>
      <ol className="mt-2 max-h-64 overflow-y-auto rounded-lg border border-line">
        {chapters.map(({ name, start }) => (
          <li key={start} className="not-first:border-t not-first:border-line">
            <TimestampLink
              seconds={start}
              seekLinks={seekLinks}
              className="flex min-h-11 items-center gap-3 px-4 py-2 text-sm -outline-offset-2 hover:bg-raised mouse:min-h-9"
            >
              <span className="min-w-12 shrink-0 text-accent figures">{formatDuration(start)}</span>
              <span dir="auto" className="min-w-0">
                {name}
              </span>
            </TimestampLink>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** How a page links to positions in its video. */
export interface SeekLinks {
  /** The video's duration; 0 while it is unknown. */
  durationSeconds: number;
  hrefFor(seconds: number): string;
  /** Plays from a position without leaving the page. Returns false if that isn't possible. */
  playFrom(seconds: number): boolean;
}

/** A link to a position in this page's video. It makes the player seek without a navigation. */
function TimestampLink({
  seconds,
  seekLinks,
  className,
  children,
}: {
  seconds: number;
  seekLinks: SeekLinks;
  className?: string;
  children: ReactNode;
}) {
  function open(event: MouseEvent<HTMLAnchorElement>) {
    if (!isForBrowser(event) && seekLinks.playFrom(seconds)) event.preventDefault();
  }
  return (
    <a href={seekLinks.hrefFor(seconds)} onClick={open} className={className}>
      {children}
    </a>
  );
}
