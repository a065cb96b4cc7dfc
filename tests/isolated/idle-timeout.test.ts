import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addMiddleware, IDLE_TIMEOUT_MS } from "~/platform/node/middleware.server";

// How often Node checks for requests that take too long. Without the fix, one of these checks would abort the upload.
const server = http.createServer({
  requestTimeout: 300,
  headersTimeout: 300,
  connectionsCheckingInterval: 50,
});
let received = 0;

beforeAll(async () => {
  addMiddleware(() => false);
  server.on("request", async (request, response) => {
    for await (const chunk of request) received += chunk.length;
    response.end("done");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.close();
});

describe("an upload that takes longer than Node's request timeout", () => {
  it("completes, because only idle connections are closed", async () => {
    const { port } = server.address() as AddressInfo;
    const request = http.request({ port, host: "127.0.0.1", method: "POST" });
    const responded = once(request, "response");
    const startedAt = Date.now();
    let sent = 0;
    while (Date.now() - startedAt < 900) {
      request.write("x");
      sent += 1;
      const before = sent;
      while (received < before) await new Promise((next) => setTimeout(next, 10));
    }
    request.end();
    const [response] = (await responded) as [http.IncomingMessage];
    expect(response.statusCode).toBe(200);
    expect(received).toBe(sent);
    expect([server.requestTimeout, server.timeout]).toEqual([0, IDLE_TIMEOUT_MS]);
    response.resume();
  });
});
