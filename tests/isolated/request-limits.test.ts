import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { routeOf } from "~/features/permissions/route-of";
import {
  limitRequests,
  MAX_REQUESTS,
  MAX_REQUESTS_PER_NETWORK,
} from "~/platform/node/connection-limits.server";
import { nameRoutes } from "~/platform/node/request-context.server";
import { until } from "../process-figures";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
let server: http.Server;
let port: number;
let held: http.ServerResponse[] = [];

beforeEach(async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  site = useTemporarySite({ PUBLIC_URL: "https://videos.example" });
  held = [];
  nameRoutes(routeOf);
  server = http.createServer((request, response) => {
    if (!limitRequests(request, response)) held.push(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  // Requests count toward the limits until their responses are closed, so wait for all of them.
  await until(() => held.every((response) => response.closed));
  await site.remove();
  vi.restoreAllMocks();
});

/**
 * Sends a request on behalf of a client, as a proxy would. Resolves with the response's status, or never if there is no
 * response.
 */
function send(network?: string, path = "/"): Promise<number | undefined> {
  const headers = network ? { "X-Forwarded-For": network } : {};
  return new Promise((resolve) => {
    http
      .get({ host: "127.0.0.1", port, path, headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
      .on("error", () => resolve(undefined));
  });
}

async function hold(count: number, network: (index: number) => string | undefined) {
  const before = held.length;
  for (let index = 0; index < count; index++) void send(network(index));
  await until(() => held.length === before + count);
}

it("the server responds with 429 to a network that has 200 requests in progress, until one of them ends", async () => {
  await hold(MAX_REQUESTS_PER_NETWORK, () => "203.0.113.7");
  expect(await send("203.0.113.7")).toBe(429);
  await hold(1, () => "198.51.100.7");
  held[0]!.end();
  await until(() => held[0]!.closed);
  await hold(1, () => "203.0.113.7");
});

it("the request limit stops counting pipelined requests when their connection is closed", async () => {
  const socket = net.connect(port, "127.0.0.1");
  const request = "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n";
  socket.write(request.repeat(MAX_REQUESTS_PER_NETWORK));
  await until(() => held.length === MAX_REQUESTS_PER_NETWORK);
  expect(await send("203.0.113.7")).toBe(429);
  socket.destroy();
  // Node closes only the first response.
  await until(() => held[0]!.closed);
  held = [];
  await hold(1, () => "203.0.113.7");
});

it("the request limit doesn't count event streams, which have their own limits", async () => {
  await hold(MAX_REQUESTS_PER_NETWORK, () => "203.0.113.7");
  for (const path of ["/events", "/events?jobs"]) {
    const before = held.length;
    void send("203.0.113.7", path);
    await until(() => held.length === before + 1);
  }
});

it("the request limit counts all addresses of an IPv6 network together", async () => {
  await hold(MAX_REQUESTS_PER_NETWORK, (index) => `2001:db8:1:2::${index.toString(16)}`);
  expect(await send("2001:db8:1:2:3::1")).toBe(429);
  await hold(1, () => "2001:db8:1:3::1");
});

it("the request limit per network doesn't apply to clients that a proxy doesn't identify", async () => {
  await hold(MAX_REQUESTS_PER_NETWORK + 1, () => undefined);
});

it("the server responds with 503 to everything except health checks while 2,000 requests are in progress", async () => {
  await hold(MAX_REQUESTS, (index) => `203.${index % 100}.${Math.floor(index / 100)}.7`);
  expect(await send("198.51.100.7")).toBe(503);
  const before = held.length;
  void send("198.51.100.7", "/healthz");
  await until(() => held.length === before + 1);
});
