import { describe, expect, it } from "vitest";
import { changeSummary, hasMoved } from "~/features/catalogue/use-stable-list";
import type { VideoCardData, VideoPage } from "~/shared/video-card";

/** Returns a page that contains the videos with the given numbers. Higher numbers are newer. */
function page(numbers: number[], rest: Partial<VideoPage> = {}): VideoPage {
  const videos = numbers.map(
    (number): VideoCardData => ({
      id: `v${number}`,
      title: `Video ${number}`,
      category: "desi",
      duration: "0:10",
      views: 0,
      createdAt: new Date(Date.UTC(2026, 0, number)).toISOString(),
      thumbnailUrl: null,
      previewUrl: "",
    }),
  );
  return { videos, page: 1, pageCount: 2, total: numbers.length, ...rest };
}

describe("an updated list", () => {
  it("moves cards if a video was added, removed, reordered or renamed", () => {
    const before = page([3, 2, 1]);
    const renamed = page([3, 2, 1]);
    renamed.videos[1]!.title = "A title over two lines";
    expect(hasMoved(before, page([4, 3, 2]))).toBe(true);
    expect(hasMoved(before, page([3, 1]))).toBe(true);
    expect(hasMoved(before, page([2, 3, 1]))).toBe(true);
    expect(hasMoved(before, renamed)).toBe(true);
    expect(hasMoved(before, page([3, 2, 1], { pageCount: 1 }))).toBe(true);
  });

  it("doesn't move cards if only view counts or the total changed", () => {
    const after = page([3, 2, 1], { total: 20 });
    after.videos[0]!.views = 7;
    expect(hasMoved(page([3, 2, 1]), after)).toBe(false);
  });

  it("is summarized by the number of new videos, or as “updated” if there are none", () => {
    const before = page([3, 2, 1]);
    expect(changeSummary(before, page([4, 3, 2]))).toBe("1 new video");
    expect(changeSummary(before, page([5, 4, 2]))).toBe("2 new videos");
    expect(changeSummary(before, page([9, 8, 7], { total: 13 }))).toBe("10 new videos");
    expect(changeSummary(before, page([3, 1, 0]))).toBe("This list was updated");
    expect(changeSummary(page([]), page([1]))).toBe("1 new video");
    // Cards that are new on a later page have only moved down from the previous page.
    expect(changeSummary(page([3, 2], { page: 2 }), page([4, 3], { page: 2 }))).toBe(
      "This list was updated",
    );
  });
});
