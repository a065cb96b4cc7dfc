/** A quoted string of a playlist (RFC 8216 §4.2), which holds no line feed and no double quote. */
export function quoted(text: string): string {
  return `"${text.replace(/["\r\n]/g, "'")}"`;
}
