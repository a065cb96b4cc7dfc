/**
 * Writes a text that changes often. The node stays: another child would make the browser look at
 * every rule about what an element has in it.
 */
export function writeText(element: HTMLElement, text: string): void {
  const node = element.firstChild;
  if (!node) element.textContent = text;
  else if (node.nodeValue !== text) node.nodeValue = text;
}
