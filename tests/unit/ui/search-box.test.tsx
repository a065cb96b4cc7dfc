// @vitest-environment jsdom
import type { LoaderFunctionArgs } from "@remix-run/node";
import { Link, useLoaderData, useLocation, useNavigate } from "@remix-run/react";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { SearchBox } from "~/features/catalogue/search-box";
import { renderRoutes } from "./page";

/** Creates a list that records its searches. After a test slows it down, it responds only when the test lets it. */
function slowList() {
  const searches: string[] = [];
  const pendingResponses: (() => void)[] = [];
  let slow = false;

  async function loader({ request }: LoaderFunctionArgs) {
    const search = new URL(request.url).searchParams.get("search") ?? "";
    searches.push(search);
    if (slow) await new Promise<void>((resolve) => pendingResponses.push(resolve));
    return { search };
  }
  function Page() {
    const { search } = useLoaderData<typeof loader>();
    const navigate = useNavigate();
    const location = useLocation();
    return (
      <>
        <SearchBox search={search} />
        <p>results: {search || "all"}</p>
        <p>URL: {location.search}</p>
        <Link to="/">Clear</Link>
        <button type="button" onClick={() => navigate(-1)}>
          Back
        </button>
      </>
    );
  }
  return {
    searches,
    pendingResponses,
    slowDown: () => {
      slow = true;
    },
    async open(start = ["/"]) {
      renderRoutes([{ path: "/", Component: Page, loader }], start);
      await screen.findByRole("searchbox");
    },
  };
}

const box = () => screen.getByRole<HTMLInputElement>("searchbox");
const type = (text: string) => fireEvent.input(box(), { target: { value: text } });

describe("search while typing", () => {
  it("sends one request per word rather than one per character", async () => {
    const list = slowList();
    await list.open();
    for (const text of ["n", "ne", "neo", "neon"]) type(text);
    expect(await screen.findByText("results: neon")).toBeTruthy();
    expect(list.searches).toEqual(["", "neon"]);
  });

  it("returns to page 1", async () => {
    await slowList().open(["/?search=neon&page=2"]);
    type("rain");
    expect(await screen.findByText("URL: ?search=rain")).toBeTruthy();
  });

  it("never replaces newer results or typed text with an earlier response", async () => {
    const list = slowList();
    await list.open();
    list.slowDown();
    type("neon");
    await waitFor(() => expect(list.searches).toContain("neon"));
    type("neon rain");
    await waitFor(() => expect(list.searches).toContain("neon rain"));
    list.pendingResponses[1]?.();
    expect(await screen.findByText("results: neon rain")).toBeTruthy();
    list.pendingResponses[0]?.();
    type("neon rain a");
    expect(screen.getByText("results: neon rain")).toBeTruthy();
    expect(box().value).toBe("neon rain a");
  });

  it("adds one history entry, and Back clears the field", async () => {
    const list = slowList();
    await list.open();
    type("neon");
    await screen.findByText("results: neon");
    type("neon rain");
    await screen.findByText("results: neon rain");
    fireEvent.click(screen.getByText("Back"));
    await screen.findByText("results: all");
    expect(box().value).toBe("");
  });

  it("clears the field when the search is cleared elsewhere", async () => {
    const list = slowList();
    await list.open(["/?search=neon"]);
    expect(box().value).toBe("neon");
    fireEvent.click(screen.getByText("Clear"));
    await screen.findByText("results: all");
    expect(box().value).toBe("");
  });

  it("searches for the trimmed text immediately on submit, but not twice for the same text", async () => {
    const list = slowList();
    await list.open();
    type("  neon ");
    fireEvent.submit(screen.getByRole("search"));
    await screen.findByText("results: neon");
    fireEvent.submit(screen.getByRole("search"));
    expect(list.searches).toEqual(["", "neon"]);
  });
});
