const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Text for XML 1.0: escaped, without the characters that it may not hold. */
export function xmlText(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "")
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** `<name>text</name>`, the text escaped. */
export function xmlElement(name: string, text: string | number): string {
  return `<${name}>${xmlText(String(text))}</${name}>`;
}
