export interface Screenshot {
  screen: string;
  variant: string;
  /** The name of the screenshot's file, which is in the same folder as the page. */
  file: string;
  /** Problems that were detected automatically. */
  findings: readonly string[];
}

/** Returns an HTML page with one row per screen. Each screenshot in a row links to the full-size image. */
export function indexPage(screenshots: readonly Screenshot[]): string {
  const screens = [...new Set(screenshots.map(({ screen }) => screen))];
  const row = (screen: string) =>
    `<h2>${escapeHtml(screen)}</h2><div>${screenshots
      .filter((screenshot) => screenshot.screen === screen)
      .map(figure)
      .join("")}</div>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screenshots</title>
<style>
  body { font: 16px system-ui; margin: 2rem; background: #222; color: #eee }
  div { display: flex; gap: 1rem; overflow-x: auto; align-items: start }
  figure { margin: 0; flex: none; max-width: 32rem }
  img { height: 24rem; width: auto; max-width: 32rem; object-fit: cover; object-position: top }
  li { color: #f88; overflow-wrap: anywhere }
</style>
<h1>${screenshots.length} screenshots of ${screens.length} screens</h1>
${screens.map(row).join("\n")}
</html>
`;
}

function figure({ screen, variant, file, findings }: Screenshot): string {
  const caption = [variant, ...findings.map((finding) => `<li>${escapeHtml(finding)}</li>`)].join(
    "",
  );
  return `<figure><a href="${file}"><img src="${file}" alt="${escapeHtml(`${screen}, ${variant}`)}" loading="lazy"></a><figcaption>${caption}</figcaption></figure>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
