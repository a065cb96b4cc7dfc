// @vitest-environment jsdom
import { fireEvent, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { FilterBar } from "~/features/library/list/filter-bar";
import { DEFAULT_VIEW, readManageView } from "~/features/library/list/manage-address";
import { SavedViews } from "~/features/library/list/saved-views";
import { ListKeys, VideoList } from "~/features/library/list/video-list";
import { PageJump } from "~/features/library/routes/manage-tab";
import { renderAt } from "../ui/page";

it("opens the keyboard shortcuts with a question mark, except while typing", async () => {
  renderAt(
    <>
      <input aria-label="Search" />
      <ListKeys here="/?tab=manage" />
    </>,
  );
  const search = await screen.findByLabelText("Search");
  fireEvent.keyDown(search, { key: "?" });
  expect(screen.queryByText("Keyboard shortcuts")).toBeNull();
  fireEvent.keyDown(document.body, { key: "?" });
  await screen.findByText("Keyboard shortcuts");
  expect(screen.getByText("hide or show")).toBeTruthy();
});

it("jumps to a page number and keeps the filters", async () => {
  const view = { ...DEFAULT_VIEW, page: 3, search: "night", sort: "views" as const };
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

it("hides the page number field if there are few pages", () => {
  renderAt(<PageJump view={DEFAULT_VIEW} pageCount={5} />);
  expect(screen.queryByLabelText(/Go to page/)).toBeNull();
});

it("opens the additional filters, which belong to the same form, if one of them is set", async () => {
  const view = readManageView(
    new URLSearchParams("search=night&from=2026-01-31&failed=1&columns=title,views"),
  );
  const uploaders = [{ id: "u", email: "a@example.com" }];
  renderAt(<FilterBar view={view} uploaders={uploaders} />);
  const form = (await screen.findByLabelText("Added on or after")).closest("form")!;
  expect((screen.getByText("More filters").closest("details") as HTMLDetailsElement).open).toBe(
    true,
  );
  expect([...new FormData(form)].map((field) => field.join("="))).toEqual([
    ...["tab=manage", "search=night", "status=", "category=", "sort=newest", "from=2026-01-31"],
    ...["to=", "uploader=", "size=50", "failed=1", "columns=title", "columns=views"],
  ]);
  expect(screen.getByRole("link", { name: "Clear" }).getAttribute("href")).toBe(
    "/admin?tab=manage&columns=title%2Cviews",
  );
});

it("keeps the additional filters closed, and hides the uploader filter from users who only see their own videos", async () => {
  renderAt(<FilterBar view={{ ...DEFAULT_VIEW, size: 100 }} />);
  const summary = await screen.findByText("More filters");
  expect((summary.closest("details") as HTMLDetailsElement).open).toBe(false);
  expect(screen.queryByLabelText("Uploader")).toBeNull();
  expect(screen.queryByRole("link", { name: "Clear" })).toBeNull();
});

it("sends a date as the timestamps of its start and end in the browser's time zone", async () => {
  renderAt(<FilterBar view={DEFAULT_VIEW} />);
  for (const label of ["Added on or after", "Added on or before"]) {
    fireEvent.change(await screen.findByLabelText(label), { target: { value: "2026-03-29" } });
  }
  const sent = new FormData(screen.getByLabelText("Added on or before").closest("form")!);
  expect(sent.get("from")).toBe(new Date(2026, 2, 29).toISOString());
  expect(sent.get("to")).toBe(new Date(2026, 2, 30).toISOString());
});

it("shows the names of saved views as plain text that links to their URLs", async () => {
  const to = "/admin?tab=manage&missing=1";
  const views = [{ id: 1, name: "<img src=x onerror=alert(1)>", to }];
  renderAt(<SavedViews views={views} here={to} />);
  const link = await screen.findByRole("link", { name: views[0]!.name });
  expect([link.getAttribute("href"), link.getAttribute("aria-current")]).toEqual([to, "page"]);
  expect(document.querySelector("img")).toBeNull();
});

it("shows only the selected columns", async () => {
  const video = {
    ...{ id: "v", title: "A video", category: "desi", status: "published" as const, views: 7 },
    ...{ duration: "5:30", bytes: 0, createdAt: "2026-01-01T00:00:00.000Z", thumbnailUrl: null },
    schedule: { publishAt: null, unpublishAt: null },
  };
  const selection = {
    ...{ ids: new Set<string>(), all: false },
    ...{ toggle() {}, togglePage() {}, setAll() {}, clear() {} },
  };
  renderAt(
    <VideoList
      {...{
        videos: [video],
        jobs: {},
        similar: {},
        held: {},
        consent: {},
        resemblingBlocked: [],
        selection,
        now: 0,
      }}
      view={{ ...DEFAULT_VIEW, columns: ["duration", "category"] }}
    />,
  );
  await screen.findByText("A video");
  const headings = screen.getAllByRole("columnheader").map(({ textContent }) => textContent);
  expect(headings).toEqual(["Select all", "Video", "Duration", "Category", "Actions"]);
  expect(screen.queryByText("7", { exact: false })).toBeNull();
});
