import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { liftBodyDeadline, limitBodyTime } from "~/platform/node/request-body.server";

const DEADLINE_MS = 400;
const server = http.createServer(async (request, response) => {
  if (request.url === "/upload") liftBodyDeadline(request);
  if (request.url === "/early") return response.end("done");
  let received = 0;
  try {
    for await (const chunk of request) received += chunk.length;
    response.end(String(received));
  } catch {
    // The connection was closed.
  }
});
let port = 0;

beforeAll(async () => {
  limitBodyTime(DEADLINE_MS);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.close();
});

/** Sends up to `bytes` bytes of a body, one at a time, as long as the connection is open. */
async function drip(path: string, bytes: number): Promise<string> {
  const socket = net.connect({ port, host: "127.0.0.1" });
  let response = "";
  socket.on("data", (part) => {
    response += part;
  });
  socket.on("error", () => {});
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`);
  const closed = once(socket, "close");
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < bytes && socket.writable) socket.write("x");
    else if (response.endsWith(`\r\n\r\n${bytes}`)) socket.end();
    sent += 1;
  }, 20);
  await closed;
  clearInterval(timer);
  return response;
}

it("returns 408 if the request body isn't complete at the deadline", async () => {
  expect(await drip("/contact", 1_000_000)).toMatch(/^HTTP\/1\.1 408 /);
});

it("closes the connection at the deadline even if the response was sent before the whole body was received", async () => {
  expect(await drip("/early", 1_000_000)).toMatch(/^HTTP\/1\.1 200 /);
});

it("allows uploads to exceed the deadline", async () => {
  const bytes = (3 * DEADLINE_MS) / 20;
  const request = http.request({ port, host: "127.0.0.1", method: "POST", path: "/upload" });
  const answered = once(request, "response");
  for (let sent = 0; sent < bytes; sent += 1) {
    request.write("x");
    await new Promise((next) => setTimeout(next, 20));
  }
  request.end();
  const [response] = (await answered) as [http.IncomingMessage];
  expect([response.statusCode, Buffer.concat(await response.toArray()).toString()]).toEqual([
    200,
    String(bytes),
  ]);
});
