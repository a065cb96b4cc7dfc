export interface Picture {
  screen: string;
  variant: string;
  /** Beside the page. */
  file: string;
  /** What can be told of it without eyes. */
  findings: readonly string[];
}

/** A page with one row of pictures for each screen; every picture leads to itself in full size. */
export function indexPage(pictures: readonly Picture[]): string {
  const screens = [...new Set(pictures.map(({ screen }) => screen))];
  const row = (screen: string) =>
    `<h2>${escapeHtml(screen)}</h2><div>${pictures
      .filter((picture) => picture.screen === screen)
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
<h1>${pictures.length} pictures of ${screens.length} screens</h1>
${screens.map(row).join("\n")}
</html>
`;
}

function figure({ screen, variant, file, findings }: Picture): string {
  const caption = [variant, ...findings.map((finding) => `<li>${escapeHtml(finding)}</li>`)].join(
    "",
  );
  return `<figure><a href="${file}"><img src="${file}" alt="${escapeHtml(`${screen}, ${variant}`)}" loading="lazy"></a><figcaption>${caption}</figcaption></figure>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
