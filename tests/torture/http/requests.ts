import type { Random } from "../random";

/** Headers that affect the response, or how a request or its body is read. */
export const HEADERS = [
  ...["Range: bytes=0-3", "Range: bytes=-1", "Range: bytes=9-2", "Range: bytes=0-0,2-2,4-"],
  ...["Range: bytes=18446744073709551616-", 'If-Range: W/"x"', "If-Match: *", "If-None-Match: *"],
  ...["If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT", "If-Unmodified-Since: x"],
  ...["Expect: 100-continue", "Expect: 200-maybe", "Connection: Upgrade\r\nUpgrade: websocket"],
  ...["Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk"],
  ...["Connection: keep-alive", "Connection: close", "TE: trailers", "Trailer: Content-Length"],
  ...["Accept-Encoding: gzip, br;q=0", "Accept-Encoding: *;q=0", "Host: other.example"],
  ...["Content-Length: 0", "Transfer-Encoding: chunked", "Origin: null", "X-Forwarded-For: \xff"],
  ...["Cookie: session=%ff; session=", "Accept: \xe9", "X-HTTP-Method-Override: DELETE"],
];

export const METHODS =
  "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND M-SEARCH QUERY get"
    .split(" ")
    .map((method) => `${method} `);

export const TARGETS = [
  ...[
    "*",
    "//",
    "/..",
    "/%2e%2e/",
    "/%",
    "/%00",
    "/\\",
    "http://other.example/",
    "other.example:443",
  ],
  ...["http://", "http://[/", "javascript:x", "/?", "/#", "//other.example/", "/media/videos/%2f"],
];

const HOST = "Host: site.example\r\n";
const CHUNKED = "Transfer-Encoding: chunked\r\n";

/** Returns a request whose end may be interpreted differently by two parsers (RFC 9112 §6.3, §7.1, §11.2). */
export function ambiguousRequest(random: Random, hidden: string): string {
  const post = (headers: string, body: string) =>
    `POST /media/videos/none HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
  const length = hidden.length;
  return random.pick([
    () => post(`Content-Length: ${length + 5}\r\n${CHUNKED}`, `0\r\n\r\n${hidden}`),
    () => post(`${CHUNKED}Content-Length: ${length + 5}\r\n`, `0\r\n\r\n${hidden}`),
    () => post(`Content-Length: ${length}\r\nContent-Length: 0\r\n`, hidden),
    () => post(`Content-Length: 0\r\nContent-Length: ${length}\r\n`, hidden),
    () => post(`Content-Length: 0, ${length}\r\n`, hidden),
    () => post(`Content-Length: +0\r\n`, hidden),
    () => post(`Content-Length: -1\r\n`, hidden),
    () => post(`Content-Length: 0x0\r\n`, hidden),
    () => post(`Content-Length : 0\r\n`, hidden),
    () => post(`Content-Length: ${length}\r\n`, hidden),
    () => post(`Transfer-Encoding: chunked, identity\r\n`, `0\r\n\r\n${hidden}`),
    () => post(`Transfer-Encoding: xchunked\r\n`, `0\r\n\r\n${hidden}`),
    () => post(`Transfer-Encoding : chunked\r\n`, `0\r\n\r\n${hidden}`),
    () => post(`Transfer-Encoding: \x0bchunked\r\n`, `0\r\n\r\n${hidden}`),
    () => post(CHUNKED, `-0\r\n\r\n${hidden}`),
    () => post(CHUNKED, `0x0\r\n\r\n${hidden}`),
    () => post(CHUNKED, `fffffffffffffffff\r\n${hidden}`),
    () => post(CHUNKED, `7fffffff\r\n${hidden}`),
    () => post(CHUNKED, `1\r\nab\r\n0\r\n\r\n${hidden}`),
    () => post(CHUNKED, `0;a=\n\r\n${hidden}`),
    () => post(CHUNKED, `${length.toString(16)};a="b"\r\n${hidden}\r\n0\r\n\r\n`),
    () => post(`X: y\nContent-Length: ${length}\r\n`, hidden),
    () => post(`X: y\rContent-Length: 0\r\n`, hidden),
    () => post(`X: y\x00\r\n`, hidden),
  ])();
}

/** Returns bytes that aren't a valid request, or that exceed a limit. */
export function invalidRequest(random: Random): string {
  const many = 10 ** (2 + random.below(4));
  const method = random.pick(METHODS);
  const target = random.pick(TARGETS);
  return random.pick([
    () => `${method}${target} HTTP/1.1\r\n${HOST}\r\n`,
    () => `${method}/ HTTP/1.1\r\n${HOST}${random.pick(HEADERS)}\r\n\r\n`,
    () => `GET /${"a".repeat(many)} HTTP/1.1\r\n${HOST}\r\n`,
    () => `GET /?search=${"%c3%28".repeat(many / 10)} HTTP/1.1\r\n${HOST}\r\n`,
    () => `GET / HTTP/1.1\r\n${HOST}X: ${"a".repeat(many)}\r\n\r\n`,
    () => `GET / HTTP/1.1\r\n${HOST}${"X: y\r\n".repeat(many / 10)}\r\n`,
    () => `GET / HTTP/1.1\r\n${HOST}Cookie: ${"a=b; ".repeat(many / 10)}\r\n\r\n`,
    () => `POST /report HTTP/1.1\r\n${HOST}Content-Length: ${many}\r\n\r\n${"a".repeat(many)}`,
    () => `POST /auth HTTP/1.1\r\n${HOST}Content-Length: 99999999999\r\n\r\nintent=`,
    () => `POST /auth HTTP/1.1\r\n${HOST}${CHUNKED}\r\n${"1\r\na\r\n".repeat(many / 10)}0\r\n\r\n`,
    () => `GET / HTTP/${random.pick(["0.9", "1.2", "2.0", "1.1.1", "9", ""])}\r\n${HOST}\r\n`,
    () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    () => "GET / HTTP/1.1\r\n\r\n",
    () => `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n`,
    () => `GET / HTTP/1.1\r\n${HOST}X: y\r\n z\r\n\r\n`,
    () => `GET / HTTP/1.1\n${HOST.trim()}\n\n`,
  ])();
}
