import { parseUrl } from "~/shared/addresses";
import { type TimedPart, timedParts } from "~/shared/timestamps";
import { MomentLink, type Moments } from "./moment-link";

const ADDRESS = /\bhttps?:\/\/[^\s<>"]+/gi;
/** A sentence's end is not a part of the address in it. */
const TRAILING = ".,;:!?'\")]}»”";

/** A piece of a text: words, an address that may be followed, or a moment of the video. */
export interface TextPart extends TimedPart {
  href?: string;
}

/** Cuts a text at its web addresses. Only http and https ones; everything else stays words. */
export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    let address = match[0];
    // Not by a pattern, which would try each sign of a long row of them anew.
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
 * A text with its line breaks kept, each line in its own direction, its addresses as links that give
 * nothing away, and its times as links to their moments of the video.
 */
export function LinkedText({ text, moments }: { text: string; moments: Moments }) {
  const parts = textParts(text).flatMap((part): TextPart[] =>
    part.href ? [part] : timedParts(part.text, moments.durationSeconds),
  );
  return (
    <p dir="auto" className="whitespace-pre-line [unicode-bidi:plaintext]">
      {parts.map(({ text: words, href, seconds }, index) => {
        if (seconds !== undefined) {
          return (
            <MomentLink key={index} seconds={seconds} moments={moments} className={LINK}>
              {words}
            </MomentLink>
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
