/** A page with one row of pictures for each screen; every picture leads to itself in full size. */
export function indexPage(
  screens: readonly string[],
  variants: readonly string[],
  fileOf: (screen: string, variant: string) => string,
): string {
  const row = (screen: string) =>
    `<h2 id="${fileOf(screen, "")}">${screen}</h2><div>${variants
      .map((variant) => {
        const file = fileOf(screen, variant);
        return `<figure><a href="${file}"><img src="${file}" alt="${screen}, ${variant}" loading="lazy"></a><figcaption>${variant}</figcaption></figure>`;
      })
      .join("")}</div>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screenshots</title>
<style>
  body { font: 16px system-ui; margin: 2rem; background: #222; color: #eee }
  div { display: flex; gap: 1rem; overflow-x: auto; align-items: start }
  figure { margin: 0; flex: none }
  img { height: 24rem; width: auto; max-width: 32rem; object-fit: cover; object-position: top }
</style>
<h1>Screenshots</h1>
${screens.map(row).join("\n")}
</html>
`;
}
