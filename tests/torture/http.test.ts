import { describe, expect, it } from "vitest";
import { connectionOf, findFaults, sendBytes } from "./http/http";
import { parseResponses } from "./http/responses";

const CONNECTIONS = 400;

it("sends each connection only the responses to its own requests, in order", async () => {
  // Only a long run checks how long another client has to wait, because other tests may be using the CPU during a short
  // run.
  const maxWaitMs = Number.POSITIVE_INFINITY;
  expect(await sendBytes("npm test", CONNECTIONS, undefined, maxWaitMs)).toEqual([]);
}, 120_000);

describe("connectionOf", () => {
  const known = {
    paths: ["/", "/trending"],
    files: [{ path: "/media/videos/u/1.mp4", mark: "mark-1" }],
    cookie: "session=x",
  };
  const all = Array.from({ length: 2_000 }, (_, number) => connectionOf("noon", number, known));

  it("depends only on the seed and the connection's number", () => {
    expect(connectionOf("noon", 7, known)).toEqual(all[7]);
    expect(connectionOf("dusk", 7, known)).not.toEqual(all[7]);
    expect(new Set(all.map(({ exchange }) => exchange.pieces.join(""))).size).toBeGreaterThan(900);
    expect(new Set(all.map(({ from }) => from)).size).toBeGreaterThan(1_900);
  });

  it("generates every kind of exchange, many with expected or forbidden markers", () => {
    const has = (of: (exchange: (typeof all)[0]["exchange"]) => unknown) =>
      all.filter(({ exchange }) => of(exchange)).length;
    for (const ending of ["wait", "leave", "half-close", "reset"])
      expect(
        has((exchange) => exchange.ending === ending),
        ending,
      ).toBeGreaterThan(20);
    expect(has(({ marks }) => marks && marks.length > 1)).toBeGreaterThan(100);
    expect(has(({ forbidden }) => forbidden)).toBeGreaterThan(100);
    expect(has(({ pieces }) => pieces.length > 10)).toBeGreaterThan(20);
    expect(has(({ pieces }) => pieces.join("").length > 20_000)).toBeGreaterThan(20);
    expect(has(({ pieces }) => /[^\x00-\x7f]/.test(pieces.join("")))).toBeGreaterThan(100);
  });

  it("closes a pipelined connection only after its last request", () => {
    for (const { exchange } of all.filter(({ exchange }) => exchange.marks)) {
      const text = exchange.pieces.join("");
      expect(text.match(/^GET /gm)).toHaveLength(exchange.marks!.length);
      expect(text.indexOf("Connection: close")).toBe(text.lastIndexOf("Connection: close"));
      expect(text.endsWith("Connection: close\r\n\r\n")).toBe(true);
    }
  });
});

const response = (status: string, body = "") =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe("findFaults", () => {
  const exchange = { pieces: ["GET / HTTP/1.1\r\n\r\n"], ending: "leave" as const };
  const faultsIn = (bytes: string, more = {}) =>
    findFaults({ ...exchange, ...more }, { bytes, closedBySite: true });

  it("accepts correct responses, responses that the client didn't wait for, and status 503", () => {
    expect(faultsIn(response("200 OK", "<a>"), { marks: ["a"] })).toEqual([]);
    expect(faultsIn(response("200 OK", "<a>").slice(0, -2))).toEqual([]);
    expect(faultsIn(response("503 Service Unavailable"))).toEqual([]);
    expect(faultsIn("HTTP/1.1 100 Continue\r\n\r\n".concat(response("200 OK")))).toEqual([]);
    expect(faultsIn("")).toEqual([]);
  });

  it("finds an internal error, extra responses, and a response to a different request", () => {
    expect(faultsIn(response("500 Internal Server Error", "x"))).toEqual(["Responded with 500 x"]);
    expect(faultsIn(response("200 OK").repeat(4))).toEqual(["4 responses"]);
    expect(faultsIn(response("200 OK", "<b>"), { marks: ["a"] })).toEqual([
      "Responded with b instead of a",
    ]);
    expect(faultsIn(response("200 OK", "<a>"), { forbidden: "a" })).toEqual([
      "Responded to a request inside a body",
    ]);
  });

  it("finds responses that aren't valid HTTP", () => {
    for (const bytes of [
      "no response",
      "HTTP/1.1 200\nA: b\n\n",
      "HTTP/1.1 200 OK\r\nno field\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
      response("200 OK", "a").concat("b".repeat(20)),
    ]) {
      expect(faultsIn(bytes), bytes).toHaveLength(1);
    }
  });

  it("parses chunked bodies and responses to HEAD", () => {
    const chunks =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n";
    expect(parseResponses(chunks, false)).toEqual([{ status: 200, body: "abc", isWhole: true }]);
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    expect(parseResponses(head + head, true)).toHaveLength(2);
    expect(parseResponses(head, false)[0]?.isWhole).toBe(false);
  });
});
