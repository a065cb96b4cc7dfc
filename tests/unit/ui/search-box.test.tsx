// @vitest-environment jsdom
import type { LoaderFunctionArgs } from "@remix-run/node";
import { Link, useLoaderData, useLocation, useNavigate } from "@remix-run/react";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { SearchBox } from "~/features/catalogue/search-box";
import { renderRoutes } from "./page";

/** A list that answers when the test lets it, and a record of what it was asked. */
function slowList() {
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  let slow = false;

  async function loader({ request }: LoaderFunctionArgs) {
    const search = new URL(request.url).searchParams.get("search") ?? "";
    asked.push(search);
    if (slow) await new Promise<void>((answer) => waiting.push(answer));
    return { search };
  }
  function Page() {
    const { search } = useLoaderData<typeof loader>();
    const navigate = useNavigate();
    const location = useLocation();
    return (
      <>
        <SearchBox search={search} />
        <p>answer: {search || "all"}</p>
        <p>address: {location.search}</p>
        <Link to="/">Clear</Link>
        <button type="button" onClick={() => navigate(-1)}>
          Back
        </button>
      </>
    );
  }
  return {
    asked,
    waiting,
    beSlow: () => {
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

describe("searching while typing", () => {
  it("asks once for a word, not for each letter", async () => {
    const list = slowList();
    await list.open();
    for (const text of ["n", "ne", "neo", "neon"]) type(text);
    expect(await screen.findByText("answer: neon")).toBeTruthy();
    expect(list.asked).toEqual(["", "neon"]);
  });

  it("returns to page 1", async () => {
    await slowList().open(["/?search=neon&page=2"]);
    type("rain");
    expect(await screen.findByText("address: ?search=rain")).toBeTruthy();
  });

  it("never shows an earlier answer over a later one, nor over what is being typed", async () => {
    const list = slowList();
    await list.open();
    list.beSlow();
    type("neon");
    await waitFor(() => expect(list.asked).toContain("neon"));
    type("neon rain");
    await waitFor(() => expect(list.asked).toContain("neon rain"));
    list.waiting[1]?.();
    expect(await screen.findByText("answer: neon rain")).toBeTruthy();
    list.waiting[0]?.();
    type("neon rain a");
    expect(screen.getByText("answer: neon rain")).toBeTruthy();
    expect(box().value).toBe("neon rain a");
  });

  it("leads back to before the search, and takes its text along", async () => {
    const list = slowList();
    await list.open();
    type("neon");
    await screen.findByText("answer: neon");
    type("neon rain");
    await screen.findByText("answer: neon rain");
    fireEvent.click(screen.getByText("Back"));
    await screen.findByText("answer: all");
    expect(box().value).toBe("");
  });

  it("is emptied when the search is cleared elsewhere", async () => {
    const list = slowList();
    await list.open(["/?search=neon"]);
    expect(box().value).toBe("neon");
    fireEvent.click(screen.getByText("Clear"));
    await screen.findByText("answer: all");
    expect(box().value).toBe("");
  });

  it("searches at once when sent, trimmed, and not twice for the same", async () => {
    const list = slowList();
    await list.open();
    type("  neon ");
    fireEvent.submit(screen.getByRole("search"));
    await screen.findByText("answer: neon");
    fireEvent.submit(screen.getByRole("search"));
    expect(list.asked).toEqual(["", "neon"]);
  });
});
