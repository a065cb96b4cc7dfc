const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes text for XML 1.0 and removes the characters that XML doesn't allow. */
export function xmlText(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "")
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** Returns `<name>text</name>`, with the text escaped. */
export function xmlElement(name: string, text: string | number): string {
  return `<${name}>${xmlText(String(text))}</${name}>`;
}
