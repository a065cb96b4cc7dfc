const ADDRESS = /\bhttps?:\/\/[^\s<>"]+/gi;
/** A sentence's end is not a part of the address in it. */
const TRAILING = /[.,;:!?'")\]}»”]+$/;

/** A piece of a text: words, or an address that may be followed. */
export type TextPart = { text: string; href?: string };

/** Cuts a text at its web addresses. Only http and https ones; everything else stays words. */
export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = match[0].replace(TRAILING, "");
    if (!URL.canParse(address)) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    parts.push({ text: address, href: address });
    end = match.index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** A text with its line breaks kept, each line in its own direction, and its addresses as links that give nothing away. */
export function LinkedText({ text, className }: { text: string; className?: string }) {
  return (
    <p dir="auto" className={`whitespace-pre-line [unicode-bidi:plaintext] ${className ?? ""}`}>
      {textParts(text).map(({ text: words, href }, index) =>
        href ? (
          <a
            key={index}
            href={href}
            target="_blank"
            rel="nofollow ugc noopener noreferrer"
            className="break-all text-accent underline underline-offset-4"
          >
            {words}
          </a>
        ) : (
          words
        ),
      )}
    </p>
  );
}
