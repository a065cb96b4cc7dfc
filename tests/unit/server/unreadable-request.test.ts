import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RTA_LABEL } from "~/server/node/rta-label";
import { labelUnreadable } from "~/server/node/unreadable-request.server";

// With times that end at once; a site has Node's own, which are a minute.
const server = http.createServer(
  { headersTimeout: 1, requestTimeout: 1, connectionsCheckingInterval: 10 },
  (_request, response) => response.end("answered"),
);
const BODY = { "Content-Length": "5" };

beforeAll(async () => {
  labelUnreadable();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

it.each([
  ["half a head", "GET / HTTP/1.1\r\nHost: a", /^HTTP\/1\.1 408 Request Timeout\r\n/],
  ["nothing but a method", "G", /^HTTP\/1\.1 408 Request Timeout\r\n/],
  ["what is no request", "\x16\x03\x01", /^HTTP\/1\.1 400 Bad Request\r\n/],
])("labels the answer to a client that sent %s", async (_, sent, status) => {
  const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(sent);
  const answer = await text(socket);
  expect(answer).toMatch(status);
  expect(answer).toContain(`\r\nRating: ${RTA_LABEL}\r\n`);
  expect(answer).toMatch(/\r\nConnection: close\r\n\r\n$/);
});

it("adds nothing to an answer that has begun", async () => {
  const slow = http.createServer((_request, response) => {
    response.writeHead(200, BODY);
    response.write("abc");
  });
  slow.listen(0, "127.0.0.1");
  await once(slow, "listening");
  const socket = net.connect((slow.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const [first] = (await once(socket, "data")) as [Buffer];
  socket.write("no request\r\n\r\n");
  const answer = first.toString() + (await text(socket));
  expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  slow.close();
});
