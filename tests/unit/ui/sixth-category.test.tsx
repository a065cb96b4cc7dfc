// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { CategorySelector } from "~/features/catalogue/category-selector";
import { FilterBar } from "~/features/library/list/filter-bar";
import { DEFAULT_VIEW } from "~/features/library/list/manage-address";
import { CategoryOptions } from "~/features/upload/upload-text-fields";
import { renderAt } from "./page";

// Adds a category to the only file that lists the categories.
vi.mock("~/shared/category-list", async (original) => {
  const { CATEGORIES } = await original<typeof import("~/shared/category-list")>();
  return { CATEGORIES: [...CATEGORIES, { id: "retro", label: "Retro", legacy: ["vintage"] }] };
});

// The category selector observes whether its row is cut off. It never is in jsdom, which has no layout.
vi.stubGlobal(
  "ResizeObserver",
  class {
    observe() {}
    disconnect() {}
  },
);

it("shows a sixth category in the upload form, the studio's filter and the category selector", () => {
  renderAt(
    <>
      <select>
        <CategoryOptions />
      </select>
      <FilterBar view={DEFAULT_VIEW} />
      <CategorySelector selected="all" hrefFor={(id) => `/c/${id}`} />
    </>,
  );
  expect(screen.getAllByRole("option", { name: "Retro" })).toHaveLength(2);
  expect(screen.getByRole("link", { name: "Retro" }).getAttribute("href")).toBe("/c/retro");
});
