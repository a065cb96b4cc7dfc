// @vitest-environment jsdom
import { Link, useNavigate, useParams, useRevalidator } from "@remix-run/react";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { StrictMode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useCountedViews } from "~/features/watch/use-counted-views";
import { renderRoutes } from "./page";

const sent = vi.fn<(url: string, init: RequestInit) => Promise<Response>>();

beforeEach(() => {
  sent.mockReset().mockResolvedValue(new Response(null, { status: 204 }));
  vi.stubGlobal("fetch", sent);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function Video({ enabled = true }: { enabled?: boolean }) {
  const { id = "" } = useParams();
  const views = useCountedViews(id, 41, enabled);
  const { revalidate } = useRevalidator();
  return (
    <>
      <p>
        {id}: {views}
      </p>
      <button type="button" onClick={revalidate}>
        Revalidate
      </button>
      <Link to="/video/next">Next</Link>
    </>
  );
}

function Home() {
  const navigate = useNavigate();
  return (
    <>
      <Link to="/video/one">Open</Link>
      <button type="button" onClick={() => navigate(1)}>
        Forward
      </button>
    </>
  );
}

function open(start: string, enabled?: boolean) {
  renderRoutes(
    [
      { path: "/", Component: Home },
      {
        path: "/video/:id",
        loader: () => null,
        Component: () => (
          <StrictMode>
            <Video enabled={enabled} />
            <BackButton />
          </StrictMode>
        ),
      },
    ],
    [start],
  );
}

function BackButton() {
  const navigate = useNavigate();
  return (
    <button type="button" onClick={() => navigate(-1)}>
      Back
    </button>
  );
}

const counted = () => sent.mock.calls.map(([url]) => url);

describe("a view", () => {
  it("is counted once in strict mode, and the displayed count rises by one immediately", async () => {
    open("/");
    fireEvent.click(await screen.findByText("Open"));
    expect(await screen.findByText("one: 42")).toBeTruthy();
    expect(counted()).toEqual(["/video/one/view"]);
    expect(sent.mock.calls[0]?.[1]).toMatchObject({ method: "POST" });
  });

  it("isn't counted again after a revalidation or Back and Forward", async () => {
    open("/");
    fireEvent.click(await screen.findByText("Open"));
    await screen.findByText("one: 42");
    fireEvent.click(screen.getByText("Revalidate"));
    fireEvent.click(screen.getByText("Back"));
    fireEvent.click(await screen.findByText("Forward"));
    expect(await screen.findByText("one: 42")).toBeTruthy();
    expect(counted()).toHaveLength(1);
  });

  it("is counted for each video that is opened from another video's page", async () => {
    open("/");
    fireEvent.click(await screen.findByText("Open"));
    await screen.findByText("one: 42");
    fireEvent.click(screen.getByText("Next"));
    await screen.findByText("next: 42");
    expect(counted()).toEqual(["/video/one/view", "/video/next/view"]);
  });

  it.each([
    ["rejected", () => sent.mockResolvedValue(new Response(null, { status: 404 }))],
    ["lost", () => sent.mockRejectedValue(new TypeError("offline"))],
  ])(
    "leaves the displayed count unchanged without an error if the request is %s",
    async (_, fail) => {
      fail();
      open("/");
      fireEvent.click(await screen.findByText("Open"));
      expect(await screen.findByText("one: 41")).toBeTruthy();
      await waitFor(() => expect(counted()).toHaveLength(1));
      expect(screen.getByText("one: 41")).toBeTruthy();
    },
  );

  it("isn't counted until the age gate is passed", async () => {
    open("/video/gated", false);
    expect(await screen.findByText("gated: 41")).toBeTruthy();
    expect(counted()).toEqual([]);
  });
});
