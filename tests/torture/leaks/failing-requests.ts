import { BOUNDARY, MULTIPART, multipartParts } from "../../site-client";
import { LOOPBACK, type RequestOptions, type Visitor, visit } from "./visitor";

export type Task = () => Promise<unknown>;

export const FORM = "application/x-www-form-urlencoded";
/** A number of bytes that exceeds the limit of every form that visitors can send. */
const TOO_MUCH_BYTES = 300 * 1024;
const METHODS = ["HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];

/** Returns requests to a URL that fail in every possible way. Every part of each request contains a marker. */
export function requestsTo(visitor: Visitor, path: string): Task[] {
  const { mark } = visitor;
  const query = new URLSearchParams({
    ...{ search: mark("search"), q: mark("search"), id: mark("query"), to: `/${mark("query")}` },
    ...{ page: mark("query"), video: mark("query"), [mark("query")]: mark("query"), t: "1" },
  }).toString();
  const url = `${path}?${query}`;
  const page = path === "/" ? "/_root.data" : `${path}.data`;
  const send = (target: string, options?: RequestOptions) => () => visit(visitor, target, options);
  const get = (headers: Record<string, string>) => send(url, { headers });
  return [
    send(url),
    get({ Accept: "text/html", "Accept-Encoding": "gzip" }),
    get({ Cookie: "" }),
    send(`${page}?${query}&_routes=${mark("query")}`),
    send(`${path}?_data=${mark("query")}`),
    get({ Range: "bytes=999999999-" }),
    get({ Range: `bytes=${mark("header")}-`, "If-Range": `"${mark("header")}"` }),
    get({ "If-None-Match": `"${mark("header")}"`, "Last-Event-ID": mark("header") }),
    get({ Authorization: `Bearer ${mark("token")}`, "X-Country": mark("header") }),
    get({ "X-Forwarded-For": "", "X-Country": "FR" }),
    get({ Host: `${mark("header")}.example` }),
    ...METHODS.map((method) => send(url, { method })),
    ...postRequests(visitor, url),
    send(url, { disconnectAt: "sent" }),
    send(url, { disconnectAt: "head" }),
    send(url, { disconnectAt: "body" }),
  ];
}

/** All fields of the site's forms. */
const FIELDS =
  "email password code name message subject text title description tags intent id selected to form where what answer video query search device label url".split(
    " ",
  );

function postRequests(visitor: Visitor, url: string): Task[] {
  const { mark } = visitor;
  const fields = Object.fromEntries(FIELDS.map((name) => [name, mark("form")]));
  const form = new URLSearchParams({ ...fields, email: `${mark("form")}@example.com` }).toString();
  const { before, after } = multipartParts(fields);
  const file = `${before}${mark("file")}${after}`;
  const json = JSON.stringify({ [mark("body")]: mark("body"), id: mark("body") });
  const post = (type: string, body: string, more: Partial<RequestOptions> = {}) => {
    const headers = { "Content-Type": type, "Idempotency-Key": mark("token"), ...more.headers };
    return () => visit(visitor, url, { method: "POST", body, ...more, headers });
  };
  const long = `${form}&message=${mark("form").repeat(TOO_MUCH_BYTES / mark("form").length)}`;
  const tus = {
    "Tus-Resumable": "1.0.0",
    "Upload-Length": "100",
    "Upload-Offset": "0",
    "Upload-Metadata": `filename ${Buffer.from(mark("file")).toString("base64")}`,
  };
  return [
    post(FORM, form),
    post(FORM, form, { headers: { Origin: "https://elsewhere.example" } }),
    post(FORM, long),
    post(FORM, form, { disconnectAt: "sent" }),
    post(FORM, form.slice(0, 40), { headers: { "Content-Length": "9000" }, disconnectAt: "sent" }),
    post(MULTIPART["Content-Type"], file),
    post(MULTIPART["Content-Type"], file.slice(0, file.indexOf(`--${BOUNDARY}--`)), {
      disconnectAt: "sent",
    }),
    post(`multipart/form-data; boundary=${mark("header")}`, file),
    post("application/json", json, { headers: { Authorization: `Bearer ${mark("token")}` } }),
    post("application/json", `{"${mark("body")}`),
    post("text/plain", mark("body")),
    post(mark("header"), mark("body")),
    post("application/offset+octet-stream", mark("file"), { headers: tus }),
  ];
}

/** Returns malformed or obsolete requests as raw text. */
export function malformedRequests({ mark, headers }: Visitor): string[] {
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const lines = `Host: site.example\r\n${own.join("")}`;
  const word = mark("path");
  return [
    `GET /${word} HTTP/1.0\r\n\r\n`,
    `GET /${word} HTTP/9.9\r\n${lines}\r\n`,
    `${word} /${word} HTTP/1.1\r\n${lines}\r\n`,
    `GET /${word}%zz HTTP/1.1\r\n${lines}\r\n`,
    `GET /${word}%00/..%2f..%2f${word} HTTP/1.1\r\n${lines}\r\n`,
    `GET //${word}/../${word} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`,
    `GET http://${word}.example/${word} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${word} ${word}\r\nConnection: close\r\n\r\n`,
    `GET / HTTP/1.1\r\n${lines}${word}\r\n\r\n`,
    `GET / HTTP/1.1\r\n${lines}X: ${word.repeat(3_000)}\r\n\r\n`,
    `GET /${word.repeat(3_000)} HTTP/1.1\r\n${lines}\r\n`,
    `CONNECT ${word}.example:443 HTTP/1.1\r\n${lines}\r\n`,
    `GET /events HTTP/1.1\r\n${lines}Upgrade: ${word}\r\nConnection: Upgrade\r\n\r\n`,
    `POST /contact HTTP/1.1\r\n${lines}Transfer-Encoding: chunked\r\n\r\n${word}\r\n`,
    `POST /contact HTTP/1.1\r\n${lines}Content-Length: 5\r\nContent-Length: 6\r\n\r\n${word}`,
    `POST /contact HTTP/1.1\r\n${lines}Expect: ${word}\r\nContent-Length: 5\r\n\r\n${word}`,
    `\x16\x03\x01\x02\x00${word}${LOOPBACK}`,
    word,
  ];
}
