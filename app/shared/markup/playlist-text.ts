/** Returns a quoted string for a playlist (RFC 8216 §4.2), which can't contain line feeds or double quotes. */
export function quoted(text: string): string {
  return `"${text.replace(/["\r\n]/g, "'")}"`;
}
