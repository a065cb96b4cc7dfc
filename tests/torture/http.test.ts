import { describe, expect, it } from "vitest";
import { readAnswers } from "./http/answers";
import { connectionOf, judge, sendBytes } from "./http/http";

const CONNECTIONS = 400;

it("sends what no browser sends, and each connection gets the answers to its own requests alone", async () => {
  // Others take the processors: how long somebody else waits is the matter of the long form.
  const waits = Number.POSITIVE_INFINITY;
  expect(await sendBytes("npm test", CONNECTIONS, undefined, waits)).toEqual([]);
}, 120_000);

describe("what is sent", () => {
  const known = {
    paths: ["/", "/trending"],
    files: [{ path: "/media/videos/u/1.mp4", mark: "mark-1" }],
    cookie: "session=x",
  };
  const all = Array.from({ length: 2_000 }, (_, number) => connectionOf("noon", number, known));

  it("follows from the seed and the number of the connection alone", () => {
    expect(connectionOf("noon", 7, known)).toEqual(all[7]);
    expect(connectionOf("dusk", 7, known)).not.toEqual(all[7]);
    expect(new Set(all.map(({ exchange }) => exchange.pieces.join(""))).size).toBeGreaterThan(900);
    expect(new Set(all.map(({ from }) => from)).size).toBeGreaterThan(1_900);
  });

  it("has every kind, and something to look for in the answers where that is known", () => {
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

  it("ends the connection of several requests with the last, and nowhere before", () => {
    for (const { exchange } of all.filter(({ exchange }) => exchange.marks)) {
      const text = exchange.pieces.join("");
      expect(text.match(/^GET /gm)).toHaveLength(exchange.marks!.length);
      expect(text.indexOf("Connection: close")).toBe(text.lastIndexOf("Connection: close"));
      expect(text.endsWith("Connection: close\r\n\r\n")).toBe(true);
    }
  });
});

const answer = (status: string, body = "") =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe("what is a fault of an answer", () => {
  const exchange = { pieces: ["GET / HTTP/1.1\r\n\r\n"], ending: "leave" as const };
  const told = (bytes: string, more = {}) =>
    judge({ ...exchange, ...more }, { bytes, endedBySite: true });

  it("is none where all is well, where it was left, and where the site says that it is too busy", () => {
    expect(told(answer("200 OK", "<a>"), { marks: ["a"] })).toEqual([]);
    expect(told(answer("200 OK", "<a>").slice(0, -2))).toEqual([]);
    expect(told(answer("503 Service Unavailable"))).toEqual([]);
    expect(told("HTTP/1.1 100 Continue\r\n\r\n".concat(answer("200 OK")))).toEqual([]);
    expect(told("")).toEqual([]);
  });

  it("is an error of the site, one answer too many, and one with the body of another", () => {
    expect(told(answer("500 Internal Server Error", "x"))).toEqual(["Answered 500 x"]);
    expect(told(answer("200 OK").repeat(4))).toEqual(["4 answers"]);
    expect(told(answer("200 OK", "<b>"), { marks: ["a"] })).toEqual(["Answered b for a"]);
    expect(told(answer("200 OK", "<a>"), { forbidden: "a" })).toEqual([
      "Answered a request that stands in a body",
    ]);
  });

  it("is what is not HTTP", () => {
    for (const bytes of [
      "no answer",
      "HTTP/1.1 200\nA: b\n\n",
      "HTTP/1.1 200 OK\r\nno field\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
      answer("200 OK", "a").concat("b".repeat(20)),
    ]) {
      expect(told(bytes), bytes).toHaveLength(1);
    }
  });

  it("knows chunks and answers to HEAD", () => {
    const chunks =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n";
    expect(readAnswers(chunks, false)).toEqual([{ status: 200, body: "abc", isWhole: true }]);
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    expect(readAnswers(head + head, true)).toHaveLength(2);
    expect(readAnswers(head, false)[0]?.isWhole).toBe(false);
  });
});
