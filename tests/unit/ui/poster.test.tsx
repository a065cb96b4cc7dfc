import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { PLACEHOLDER_URL, Poster, posterGradient } from "~/features/catalogue/poster";

const html = (thumbnailUrl: string | null) =>
  renderToStaticMarkup(<Poster id="v" url={thumbnailUrl} sizes="94vw" isFirst />);

describe("a poster", () => {
  it("has a srcset with smaller versions of its thumbnail", () => {
    const url = "/media/thumbnails/u/1.webp";
    expect(html(url)).toContain(
      `srcSet="${url}?w=480 480w, ${url}?w=720 720w, ${url} 1280w" sizes="94vw" src="${url}"`,
    );
  });

  it("shows the placeholder image over the video's gradient if there is no thumbnail", () => {
    const withoutThumbnail = html(null);
    expect(withoutThumbnail.replaceAll("&#x27;", "'")).toContain(`src="${PLACEHOLDER_URL}"`);
    expect(withoutThumbnail).not.toContain("srcSet");
    expect(withoutThumbnail).toMatch(/style="--hue:\d+;--angle:\d+deg" class="poster poster-none"/);
    expect(html("/media/thumbnails/u/1.webp")).not.toContain("poster-none");
  });

  it("has a gradient that is different for each video and never changes", () => {
    const gradient = (id: string) => JSON.stringify(posterGradient(id));
    const ids = Array.from({ length: 10 }, (_, number) => `v${number}`);
    expect(new Set(ids.map(gradient)).size).toBe(10);
    expect(gradient("v1")).toBe(gradient("v1"));
  });
});
