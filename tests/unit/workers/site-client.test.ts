import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { LostLeaseError, RefusedError, siteClient, TokenError } from "../../../scripts/worker/site";

/** Records the delays between attempts instead of waiting. */
const waited: number[] = [];
const pause = async (ms: number) => void waited.push(ms);

let server: http.Server | undefined;
afterEach(() => {
  waited.length = 0;
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** Starts a site that sends these responses in order. Status 0 closes the connection. */
async function siteAnswering(...answers: [status: number, detail?: string][]): Promise<string> {
  server = http.createServer((request, response) => {
    const [status, detail] = answers.length > 1 ? answers.shift()! : answers[0]!;
    if (status === 0) return void request.socket.destroy();
    response.writeHead(status).end(detail === undefined ? "{}" : JSON.stringify({ detail }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the worker's client", () => {
  it("retries with increasing delays while the site is unavailable, busy or full, and logs why", async () => {
    const site = await siteAnswering(
      [0],
      [503, "Busy."],
      [507, "Full."],
      [429],
      [500],
      [502],
      [200],
    );
    const said: string[] = [];
    const answer = await siteClient(site, "t", (text) => said.push(text), pause).request("jobs");
    expect(answer.status).toBe(200);
    expect(waited).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
    expect(said[0]).toMatch(/^The site can't be reached \(\w+\)\. Trying again in 1 s\.$/);
    expect(said[1]).toBe("The site responded: Busy. Trying again in 2 s.");
    expect(said[3]).toBe("The site responded: status 429. Trying again in 8 s.");
  });

  it.each([
    [401, TokenError],
    [409, LostLeaseError],
    [422, RefusedError],
    [404, Error],
  ])("doesn't retry after %i", async (status, kind) => {
    const site = await siteAnswering([status, "Why not."]);
    const asked = siteClient(site, "t", () => {}, pause).request("jobs");
    await expect(asked).rejects.toThrow("Why not.");
    await expect(asked).rejects.toBeInstanceOf(kind);
    expect(waited).toEqual([]);
  });

  it("stops retrying when it is aborted", async () => {
    const leave = new AbortController();
    const site = await siteAnswering([0]);
    const asked = siteClient(site, "t", () => leave.abort(), pause).request("jobs", {
      until: leave.signal,
    });
    await expect(asked).rejects.toThrow("aborted");
  });
});
