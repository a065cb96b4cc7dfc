import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { LostLeaseError, RefusedError, siteClient, TokenError } from "../../../scripts/worker/site";

/** Records the delays between attempts instead of waiting for them. */
const waited: number[] = [];
const pause = async (ms: number) => void waited.push(ms);

let server: http.Server | undefined;
afterEach(() => {
  waited.length = 0;
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** Starts a fake site that sends the given responses in order. Status 0 closes the connection. */
async function startFakeSite(...responses: [status: number, detail?: string][]): Promise<string> {
  server = http.createServer((request, response) => {
    const [status, detail] = responses.length > 1 ? responses.shift()! : responses[0]!;
    if (status === 0) return void request.socket.destroy();
    response.writeHead(status).end(detail === undefined ? "{}" : JSON.stringify({ detail }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the worker's client", () => {
  it("retries with increasing delays while the site is unavailable, busy or full, and logs the reason", async () => {
    const site = await startFakeSite(
      [0],
      [503, "Busy."],
      [507, "Full."],
      [429],
      [500],
      [502],
      [200],
    );
    const logged: string[] = [];
    const response = await siteClient(site, "t", (text) => logged.push(text), pause).request(
      "jobs",
    );
    expect(response.status).toBe(200);
    expect(waited).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
    expect(logged[0]).toMatch(/^The site can't be reached \(\w+\)\. Trying again in 1 s\.$/);
    expect(logged[1]).toBe("The site responded: Busy. Trying again in 2 s.");
    expect(logged[3]).toBe("The site responded: status 429. Trying again in 8 s.");
  });

  it.each([
    [401, TokenError],
    [409, LostLeaseError],
    [422, RefusedError],
    [404, Error],
  ])("doesn't retry after status %i", async (status, kind) => {
    const site = await startFakeSite([status, "Why not."]);
    const request = siteClient(site, "t", () => {}, pause).request("jobs");
    await expect(request).rejects.toThrow("Why not.");
    await expect(request).rejects.toBeInstanceOf(kind);
    expect(waited).toEqual([]);
  });

  it("stops retrying when it is aborted", async () => {
    const controller = new AbortController();
    const site = await startFakeSite([0]);
    const request = siteClient(site, "t", () => controller.abort(), pause).request("jobs", {
      until: controller.signal,
    });
    await expect(request).rejects.toThrow("aborted");
  });
});
