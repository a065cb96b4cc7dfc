import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Poster } from "~/ui/cards/poster";

const html = (url: string | null) =>
  renderToStaticMarkup(<Poster id="v" url={url} sizes="94vw" isFirst />);

describe("a poster", () => {
  it("offers the smaller versions of its thumbnail, for screens that show no more", () => {
    const address = "/media/thumbnails/u/1.webp";
    expect(html(address)).toContain(
      `srcSet="${address}?w=480 480w, ${address}?w=720 720w, ${address} 1280w" sizes="94vw" src="${address}"`,
    );
  });

  it("offers none of the stock placeholder", () => {
    expect(html(null)).not.toContain("srcSet");
  });
});
