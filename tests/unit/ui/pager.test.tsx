import { screen } from "@testing-library/react";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Pager, pagerItems } from "~/features/catalogue/pager";
import { renderAt } from "./page";

// @vitest-environment jsdom

describe("the pager's items", () => {
  it.each([
    [1, 2, "1 2"],
    [1, 3, "1 2 3"],
    [2, 3, "1 2 3"],
    [1, 10, "1 2 … 10"],
    [3, 10, "1 2 3 4 … 10"],
    [5, 10, "1 … 4 5 6 … 10"],
    [8, 10, "1 … 7 8 9 10"],
    [10, 10, "1 … 9 10"],
  ])("on page %i of %i are %s", (page, count, shown) => {
    const items = pagerItems(page, count);
    const text = items.map((item) => (typeof item === "number" ? item : "…")).join(" ");
    expect(text).toBe(shown);
  });

  it("are the first, last and current page and the current page's neighbors, in order", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 0, max: 499 }),
        (count, at) => {
          const page = 1 + (at % count);
          const expected = [...new Set([1, page - 1, page, page + 1, count])]
            .filter((number) => number >= 1 && number <= count)
            .sort((a, b) => a - b);
          const items = pagerItems(page, count);
          expect(items.filter((item) => typeof item === "number")).toEqual(expected);
          // There is an ellipsis exactly where numbers are missing.
          const withEllipses = expected.flatMap((number, index) => {
            const before = expected[index - 1];
            return before !== undefined && number > before + 1 ? ["…", number] : [number];
          });
          expect(items.map((item) => (typeof item === "number" ? item : "…"))).toEqual(
            withEllipses,
          );
        },
      ),
    );
  });
});

describe("the pager", () => {
  const hrefFor = (page: number) => (page > 1 ? `/?page=${page}` : "/");
  const show = (page: number, pageCount: number) =>
    renderAt(<Pager page={page} pageCount={pageCount} hrefFor={hrefFor} />);

  it.each([0, 1])("isn't rendered for %i pages", (count) => {
    show(1, count);
    expect(screen.queryByRole("navigation")).toBeNull();
  });

  it("shows the position and links to the adjacent pages, omitting the parameter for page 1", () => {
    show(2, 4);
    expect(screen.getByText("page 2 of 4")).toBeTruthy();
    const previous = screen.getByRole("link", { name: "Previous" });
    const next = screen.getByRole("link", { name: "Next" });
    expect([previous.getAttribute("href"), previous.getAttribute("rel")]).toEqual(["/", "prev"]);
    expect([next.getAttribute("href"), next.getAttribute("rel")]).toEqual(["/?page=3", "next"]);
    expect(screen.getByRole("link", { name: "Page 2" }).getAttribute("aria-current")).toBe("page");
    expect(screen.getByRole("link", { name: "Page 4" }).getAttribute("href")).toBe("/?page=4");
  });

  it("disables Previous on the first page", () => {
    show(1, 2);
    expect(screen.queryByRole("link", { name: "Previous" })).toBeNull();
    expect(screen.getByRole("button", { name: "Previous" })).toHaveProperty("disabled", true);
  });
});
