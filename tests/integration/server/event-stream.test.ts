import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { routeOf } from "~/features/permissions/route-of";
import { jobEventsAccess, openSession } from "~/features/permissions/session.server";
import {
  endStreams,
  MAX_STREAMS_PER_ADDRESS,
  openStreamCount,
  serveEvents,
} from "~/platform/live/event-stream.server";
import { nameRoutes } from "~/platform/node/request-context.server";
import { toCatalogueVersion } from "~db/catalogue-version";
import { openEvents } from "../../event-streams";
import { until } from "../../process-figures";
import { rawGet } from "../../raw-request";
import { insertUser } from "../../sign-in-requests";
import { SiteProcess } from "../../site-process";
import { useTemporarySite } from "../../temporary-site";

const site = new SiteProcess();
beforeAll(() => site.start());
afterAll(() => site.remove());

/** Opens a stream of the running site, and collects everything that it receives. */
async function listen(address = "/events", headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const response = await fetch(site.url + address, { headers, signal: abort.signal });
  const stream = { response, text: "", ended: false, leave: () => abort.abort() };
  const read = async () => {
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      stream.text += part.value;
    }
  };
  read()
    .catch(() => {})
    .finally(() => {
      stream.ended = true;
    });
  return stream;
}

const version = () =>
  toCatalogueVersion(
    site.database().prepare("SELECT catalogue, views FROM catalogue_version").get() as {
      catalogue: number;
      views: number;
    },
  );

describe("/events", () => {
  it("starts with the version, the retry delay and an ID", async () => {
    const stream = await listen();
    const { catalogue, views } = version();
    await until(() => stream.text.includes("hello"));
    expect(stream.text).toBe(
      `retry: 1000\nid: ${catalogue}.${views}\nevent: hello\ndata: {"catalogue":${catalogue},"views":${views}}\n\n`,
    );
    expect(stream.response.headers.get("Content-Type")).toMatch(/^text\/event-stream/);
    expect(stream.response.headers.get("Cache-Control")).toContain("no-transform");
    stream.leave();
  });

  it("isn't compressed, which would delay events", async () => {
    const stream = await listen("/events", { "Accept-Encoding": "gzip" });
    expect(stream.response.headers.get("Content-Encoding")).toBeNull();
    stream.leave();
  });

  it("notifies every listener of a video that another process adds", async () => {
    const listeners = await Promise.all([listen(), listen(), listen()]);
    site.addVideo({ title: "New" });
    for (const stream of listeners) await until(() => stream.text.includes("event: catalogue"));
    const { catalogue } = version();
    for (const stream of listeners) {
      expect(stream.text).toContain(`event: catalogue\ndata: {"catalogue":${catalogue},`);
      stream.leave();
    }
  });

  it("sends missed events to a client that reconnects", async () => {
    const stream = await listen("/events", { "Last-Event-ID": "0.0" });
    await until(() => stream.text.includes("event: catalogue"));
    stream.leave();
    const { catalogue, views } = version();
    const upToDate = await listen("/events", { "Last-Event-ID": `${catalogue}.${views}` });
    await until(() => upToDate.text.includes("event: hello"));
    expect(upToDate.text).not.toContain("event: catalogue");
    upToDate.leave();
  });

  it("doesn't have a data route, and responds to HEAD", async () => {
    expect(await rawGet(site.url, "/events.data")).not.toContain("event: hello");
    const response = await fetch(`${site.url}/events`, { method: "HEAD" });
    expect(response.status).toBe(200);
  });

  it("ends when the site stops, and the site exits with status 0", async () => {
    const stream = await listen();
    await until(() => stream.text.includes("hello"));
    expect(await site.stop()).toBe(0);
    await until(() => stream.ended);
  });
});

describe("streams", () => {
  it("are limited to 50 per IP address", async () => {
    const temporary = useTemporarySite();
    const from = (address: string) => openEvents({ address });
    const open = Array.from({ length: MAX_STREAMS_PER_ADDRESS }, () => from("192.0.2.1"));
    expect(MAX_STREAMS_PER_ADDRESS).toBe(50);
    expect(open.every(({ response }) => response.statusCode === 200)).toBe(true);
    expect(from("192.0.2.1").response.statusCode).toBe(429);
    open.push(from("192.0.2.2"));
    expect(open.at(-1)!.response.statusCode).toBe(200);
    await open[0]!.disconnect();
    open[0] = from("192.0.2.1");
    expect(open[0].response.statusCode).toBe(200);
    for (const stream of open) await stream.disconnect();
    expect(openStreamCount()).toBe(0);
    await temporary.remove();
  });

  it("send a named heartbeat every 30 seconds", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const temporary = useTemporarySite();
    try {
      const { text } = openEvents();
      vi.advanceTimersByTime(60_000);
      endStreams();
      const events = text().split("\n\n");
      expect(events[0]).toContain("event: hello");
      expect(events.slice(1)).toEqual([
        "event: heartbeat\ndata: {}",
        "event: heartbeat\ndata: {}",
        "",
      ]);
    } finally {
      vi.useRealTimers();
      await temporary.remove();
    }
  });

  it("aren't written to after they have ended, and end only once", async () => {
    const temporary = useTemporarySite();
    const { response, text } = openEvents();
    endStreams();
    endStreams();
    expect(openStreamCount()).toBe(0);
    expect(response.writableEnded).toBe(true);
    expect(text()).toContain("event: hello");
    await temporary.remove();
  });
});

describe("a stream", () => {
  it("is rejected with 503 beyond the limit, and removed when its client disconnects", async () => {
    const temporary = useTemporarySite();
    const open = Array.from({ length: 10_000 }, (_, index) =>
      openEvents({ address: `192.0.${index >> 8}.${index & 255}` }),
    );
    const { response } = openEvents({ address: "198.51.100.1" });
    expect(response.statusCode).toBe(503);
    expect(Reflect.get(response, "_header")).toContain("Retry-After: 10\r\n");
    await open.pop()!.disconnect();
    expect(openStreamCount()).toBe(9_999);
    expect(openEvents({ address: "198.51.100.1" }).response.statusCode).toBe(200);
    endStreams();
    expect(openStreamCount()).toBe(0);
    await temporary.remove();
  });
});

describe("an open stream", () => {
  it("doesn't keep a visitor's or an account's request headers in memory", async () => {
    const temporary = useTemporarySite();
    nameRoutes(routeOf);
    const cookie = (await openSession(insertUser().id)).split(";")[0]!;
    const requests: IncomingMessage[] = [];
    const handle = serveEvents(jobEventsAccess);
    const server = http.createServer((request, response) => {
      requests.push(request);
      if (!handle(request, response)) response.writeHead(404).end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`X-${index}`, "x".repeat(150)]),
    );
    const greetingOf = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(url + path, { headers: { ...many, ...headers } });
      const { value } = await response.body!.getReader().read();
      return new TextDecoder().decode(value);
    };
    expect(await greetingOf("/events")).not.toContain("studio");
    expect(await greetingOf("/events?jobs", { Cookie: cookie })).toContain("studio");
    expect(await greetingOf("/events?jobs", { Cookie: "session=x.y" })).not.toContain("studio");
    expect(await greetingOf("/EVENTS/?jobs=1", { Cookie: cookie })).toContain("studio");
    expect(openStreamCount()).toBe(4);
    for (const { headers, rawHeaders } of requests) {
      expect([Object.keys(headers), rawHeaders]).toEqual([[], []]);
    }
    expect((await fetch(`${url}/events.data?jobs`)).status).toBe(404);
    server.closeAllConnections();
    server.close();
    await until(() => openStreamCount() === 0);
    await temporary.remove();
  });
});
