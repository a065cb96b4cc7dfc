// @vitest-environment jsdom
import { fireEvent, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { ListKeys } from "~/studio/list/list-keys";
import { ALL_NEWEST } from "~/studio/list/manage-address";
import { PageJump } from "~/studio/list/page-jump";
import { renderAt } from "../ui/page";

it("a question mark shows the keys of the list, but not where it is typed", async () => {
  renderAt(
    <>
      <input aria-label="Search" />
      <ListKeys here="/?tab=manage" />
    </>,
  );
  const search = await screen.findByLabelText("Search");
  fireEvent.keyDown(search, { key: "?" });
  expect(screen.queryByText("Keys of the list")).toBeNull();
  fireEvent.keyDown(document.body, { key: "?" });
  await screen.findByText("Keys of the list");
  expect(screen.getByText("hide or show")).toBeTruthy();
});

it("a page is gone to by its number, with the filters of the list", async () => {
  const view = { ...ALL_NEWEST, page: 3, search: "night", sort: "views" as const };
  renderAt(<PageJump view={view} pageCount={900} />);
  const page = (await screen.findByLabelText(/Go to page/)) as HTMLInputElement;
  const sent = new FormData(page.form!);
  sent.set("page", "700");
  expect(Object.fromEntries(sent)).toEqual({
    tab: "manage",
    search: "night",
    sort: "views",
    page: "700",
  });
  expect(page.max).toBe("900");
});

it("few pages need no field", () => {
  renderAt(<PageJump view={ALL_NEWEST} pageCount={5} />);
  expect(screen.queryByLabelText(/Go to page/)).toBeNull();
});
