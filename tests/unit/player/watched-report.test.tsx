// @vitest-environment jsdom
import { Link, useParams } from "@remix-run/react";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { StrictMode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { continued, useContinuedVisit } from "~/features/player/continued";
import { useWatchedParts } from "~/features/player/watched-parts";
import { renderRoutes } from "../ui/page";

const sent = vi.fn<(url: string, init: RequestInit) => Promise<Response>>();

beforeEach(() => {
  sent.mockReset().mockResolvedValue(new Response(null, { status: 204 }));
  vi.stubGlobal("fetch", sent);
});
afterEach(() => {
  // Ends the view that a test has left open.
  window.dispatchEvent(new Event("pagehide"));
  continued.set(undefined);
  vi.unstubAllGlobals();
  for (const name of ["globalPrivacyControl", "doNotTrack", "connection"]) {
    Reflect.deleteProperty(navigator, name);
  }
});

function Video({ seconds, isGrowing }: { seconds: number; isGrowing: boolean }) {
  const { id = "" } = useParams();
  useWatchedParts({ id, durationSeconds: seconds, isGrowing }, true, useContinuedVisit(id));
  return (
    <>
      <section className="player">
        {/* biome-ignore lint/a11y/useMediaCaption: it shows nothing. */}
        <video key={id} data-testid={id} />
      </section>
      <video data-testid="preview" muted />
      <Link to="/">Home</Link>
      <Link to="/video/next">Next</Link>
    </>
  );
}

function Home() {
  return (
    <>
      <section className="mini-player">
        {/* biome-ignore lint/a11y/useMediaCaption: it shows nothing. */}
        <video data-testid="mini" />
      </section>
      <Link to="/video/one">Back to it</Link>
    </>
  );
}

let opened = 0;
/** Opens the page of a video. Each test uses a different video, since a document reports each visit only once. */
async function open({ seconds = 100, isGrowing = false } = {}): Promise<string> {
  const id = `video${++opened}`;
  renderRoutes(
    [
      { path: "/", Component: Home },
      {
        path: "/video/:id",
        Component: () => (
          <StrictMode>
            <Video seconds={seconds} isGrowing={isGrowing} />
          </StrictMode>
        ),
      },
    ],
    [`/video/${id}`],
  );
  await screen.findByTestId(id);
  return id;
}

/** Sets the element's played ranges, as a browser would. */
async function play(id: string, spans: [number, number][], duration = 100): Promise<void> {
  const element = screen.getByTestId(id);
  const played = {
    length: spans.length,
    start: (at: number) => spans[at]![0],
    end: (at: number) => spans[at]![1],
  };
  Object.defineProperty(element, "played", { value: played, configurable: true });
  Object.defineProperty(element, "duration", { value: duration, configurable: true });
  fireEvent(element, new Event("timeupdate"));
  // The tracking module is loaded on first playback.
  await import("~/features/player/watched-report");
  await Promise.resolve();
  fireEvent(element, new Event("timeupdate"));
}
const fire = (id: string, type: string) => fireEvent(screen.getByTestId(id), new Event(type));
const hide = () => window.dispatchEvent(new Event("pagehide"));
const reports = () => sent.mock.calls.map(([url, { body }]) => [url, body]);
const digits = (ones: number) => "1".repeat(ones).padEnd(20, "0");

describe("the report of watched parts", () => {
  it("is sent once at the end of the video, without cookies or the page's URL", async () => {
    const id = await open();
    await play(id, [[0, 100]]);
    expect(reports()).toEqual([]);
    fire(id, "ended");
    await play(id, [[0, 100]]);
    fire(id, "ended");
    hide();
    expect(reports()).toEqual([[`/video/${id}/watched`, digits(20)]]);
    expect(sent.mock.calls[0]?.[1]).toEqual({
      method: "POST",
      body: digits(20),
      keepalive: true,
      credentials: "omit",
      referrerPolicy: "origin",
    });
  });

  it("is sent when the page is closed or another one is opened", async () => {
    const first = await open();
    await play(first, [[0, 10]]);
    hide();
    expect(reports()).toEqual([[`/video/${first}/watched`, digits(2)]]);
    const second = await open();
    await play(second, [[0, 5]]);
    fireEvent.click(screen.getAllByText("Next").at(-1)!);
    await waitFor(() => expect(reports()).toHaveLength(2));
    expect(reports()[1]).toEqual([`/video/${second}/watched`, digits(1)]);
  });

  it("combines the parts played from all of the player's sources, although the element forgets earlier sources", async () => {
    const id = await open();
    await play(id, [[0, 10]]);
    fire(id, "emptied");
    await play(id, [[10, 20]]);
    hide();
    expect(reports()).toEqual([[`/video/${id}/watched`, digits(4)]]);
  });

  it("continues in the mini player and back on the video's page", async () => {
    const id = await open();
    await play(id, [[0, 10]]);
    continued.set({ video: { id } } as never);
    fireEvent.click(screen.getByText("Home"));
    await screen.findByTestId("mini");
    await play("mini", [[10, 20]]);
    expect(reports()).toEqual([]);
    hide();
    expect(reports()).toEqual([[`/video/${id}/watched`, digits(4)]]);
  });

  it("uses the catalogue's duration while a stream is still being encoded", async () => {
    const id = await open({ seconds: 400, isGrowing: true });
    await play(id, [[0, 100]], 100);
    hide();
    expect(reports()).toEqual([[`/video/${id}/watched`, digits(5)]]);
  });

  it("uses the element's duration if the catalogue doesn't have one", async () => {
    const id = await open({ seconds: 0 });
    await play(id, [[0, 50]], 50);
    hide();
    expect(reports()).toEqual([[`/video/${id}/watched`, digits(20)]]);
  });

  it.each([100, Number.POSITIVE_INFINITY])(
    "is not sent for a stream of unknown length that has %s seconds so far",
    async (duration) => {
      const id = await open({ seconds: 0, isGrowing: true });
      await play(id, [[0, 50]], duration);
      hide();
      expect(reports()).toEqual([]);
    },
  );

  it("is not sent if only a card's preview was played", async () => {
    const id = await open();
    await play("preview", [[0, 100]]);
    await play(id, []);
    hide();
    expect(reports()).toEqual([]);
  });

  it.each([
    ["Global Privacy Control", { globalPrivacyControl: true }],
    ["Do Not Track", { doNotTrack: "1" }],
    ["data saving", { connection: { saveData: true } }],
  ])("is not sent if the browser has enabled %s", async (_, preference) => {
    for (const [name, value] of Object.entries(preference)) {
      Object.defineProperty(navigator, name, { value, configurable: true });
    }
    const id = await open();
    await play(id, [[0, 100]]);
    fire(id, "ended");
    hide();
    expect(reports()).toEqual([]);
  });

  it("isn't affected by network errors", async () => {
    sent.mockRejectedValue(new TypeError("offline"));
    const id = await open();
    await play(id, [[0, 100]]);
    hide();
    expect(reports()).toHaveLength(1);
  });
});
