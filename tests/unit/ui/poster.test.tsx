import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { PLACEHOLDER_URL, Poster, posterGradient } from "~/features/catalogue/poster";

const html = (url: string | null) =>
  renderToStaticMarkup(<Poster id="v" url={url} sizes="94vw" isFirst />);

describe("a poster", () => {
  it("offers the smaller versions of its thumbnail, for screens that show no more", () => {
    const address = "/media/thumbnails/u/1.webp";
    expect(html(address)).toContain(
      `srcSet="${address}?w=480 480w, ${address}?w=720 720w, ${address} 1280w" sizes="94vw" src="${address}"`,
    );
  });

  it("is the placeholder image, in one size, over the gradient of its video without a thumbnail", () => {
    const without = html(null);
    expect(without.replaceAll("&#x27;", "'")).toContain(`src="${PLACEHOLDER_URL}"`);
    expect(without).not.toContain("srcSet");
    expect(without).toMatch(/style="--hue:\d+;--angle:\d+deg" class="poster poster-none"/);
    expect(html("/media/thumbnails/u/1.webp")).not.toContain("poster-none");
  });

  it("has another gradient for each of ten videos, and the same one again", () => {
    const gradient = (id: string) => JSON.stringify(posterGradient(id));
    const ids = Array.from({ length: 10 }, (_, number) => `v${number}`);
    expect(new Set(ids.map(gradient)).size).toBe(10);
    expect(gradient("v1")).toBe(gradient("v1"));
  });
});
