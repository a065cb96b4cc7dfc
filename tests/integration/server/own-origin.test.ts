import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findSession, openSession } from "~/features/permissions/session.server";
import { replaceOriginCheck } from "~/platform/node/origin-header.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
let server: http.Server;
let url: string;
let handle: (request: Request, node: http.IncomingMessage) => Promise<void> | void;

beforeEach(async () => {
  site = useTemporarySite();
  replaceOriginCheck();
  server = http.createServer(async (node, response) => {
    const request = new Request(`http://${node.headers.host}${node.url}`, {
      method: node.method,
      headers: node.headers as Record<string, string>,
    });
    const status = await Promise.resolve()
      .then(() => handle(request, node))
      .then(() => 204)
      .catch((thrown) => (thrown as Response).status);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await site.remove();
});

/** Sends a request with exactly these headers, whereas fetch() would add others. */
function send(headers: Record<string, string>): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    http
      .request(url, { method: "POST", headers, agent: false }, (response) => {
        response.resume();
        response.once("end", () => resolve(response));
      })
      .once("error", reject)
      .end();
  });
}

describe("the origin check", () => {
  const statusOf = async (headers: Record<string, string>) => (await send(headers)).statusCode;

  it("uses Sec-Fetch-Site and Origin, and gives precedence to Sec-Fetch-Site", async () => {
    handle = requireOwnOrigin;
    expect(await statusOf({ Origin: url })).toBe(204);
    expect(await statusOf({ "Sec-Fetch-Site": "same-origin", Origin: "null" })).toBe(204);
    expect(await statusOf({ "Sec-Fetch-Site": "same-site", Origin: url })).toBe(403);
    expect(await statusOf({ "Sec-Fetch-Site": "none" })).toBe(403);
    for (const Origin of ["null", "https://evil.example", "garbage", `${url}.evil.example`]) {
      expect(await statusOf({ Origin }), Origin).toBe(403);
    }
    expect(await statusOf({})).toBe(403);
  });

  it("uses PUBLIC_URL behind a proxy that rewrites Host", async () => {
    process.env.PUBLIC_URL = "https://videos.example";
    forgetSettings();
    handle = requireOwnOrigin;
    expect(await statusOf({ Origin: "https://videos.example" })).toBe(204);
    expect(await statusOf({ Origin: "http://videos.example" })).toBe(403);
    expect(await statusOf({ Origin: "https://videos.example.evil" })).toBe(403);
  });

  it("hides the Origin header from Remix, which would otherwise reject the request", async () => {
    handle = (request) => {
      expect(request.headers.get("Origin")).toBeNull();
      requireOwnOrigin(request);
    };
    expect(await statusOf({ Origin: url })).toBe(204);
  });
});

describe("a session in use", () => {
  it("has its cookie renewed by any response", async () => {
    const cookie = (await openSession(insertUser().id)).split(";")[0]!;
    handle = async (request) => {
      expect(await findSession(request)).toBeDefined();
    };
    expect((await send({ Cookie: cookie })).headers["set-cookie"]).toBeUndefined();
    sqliteHandle().exec("UPDATE sessions SET last_used_at = '2020-01-01T00:00:00.000Z'");
    const [renewed] = (await send({ Cookie: cookie })).headers["set-cookie"]!;
    expect(renewed).toMatch(/; Path=\/; Max-Age=2592000;/);
    const [carried] = cookie.split(".");
    expect(renewed!.split(".")[0]).toBe(carried);
  });
});
