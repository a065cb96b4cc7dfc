/** A response as it was received over the connection. */
export interface RawResponse {
  status: number;
  body: string;
  /** Whether the response was received completely. */
  isWhole: boolean;
}

const HEAD_END = "\r\n\r\n";
/** RFC 9112 §4 and §5: a status line, followed by lines with a name, a colon and a value, each terminated by CRLF. */
const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\t\x20-\x7e\x80-\xff]*$/;
const FIELD_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ \t]*[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Parses all responses on a connection strictly. Throws an error if the bytes aren't valid responses.
 * @param bytes as Latin-1.
 * @param mayBeHead whether one of the requests may have been a HEAD request. Its response may declare a length, but has
 * no body.
 */
export function parseResponses(bytes: string, mayBeHead: boolean): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(HEAD_END, at);
    const lines = bytes.slice(at, end === -1 ? undefined : end).split("\r\n");
    const incomplete = { status: 0, body: "", isWhole: false };
    if (end === -1) {
      const isBegun = bytes.startsWith("HTTP/1.1 ".slice(0, bytes.length - at), at);
      if (!isBegun || /(?<!\r)\n/.test(bytes.slice(at)))
        throw new Error(`Not a response: ${quoted(bytes.slice(at))}`);
      return [...responses, incomplete];
    }
    const status = Number(STATUS_LINE.exec(lines[0]!)?.[1]);
    const invalidLine = lines.slice(1).find((line) => !FIELD_LINE.test(line));
    if (!status || invalidLine !== undefined)
      throw new Error(`Invalid response head: ${quoted(lines.join(" | "))}`);
    at = end + HEAD_END.length;
    // 100 Continue and 103 Early Hints precede the actual response.
    if (status < 200) continue;
    const isBare = mayBeHead && (at === bytes.length || bytes.startsWith("HTTP/1.1 ", at));
    const hasBody = status !== 204 && status !== 304 && !isBare;
    const body = hasBody
      ? readBody(bytes, at, lines.slice(1))
      : { content: "", end: at, isWhole: true };
    responses.push({ status, body: body.content, isWhole: body.isWhole });
    at = body.end;
  }
  return responses;
}

function readBody(bytes: string, at: number, fields: readonly string[]) {
  const values = (name: string) =>
    fields
      .filter((field) => field.toLowerCase().startsWith(`${name}:`))
      .map((field) => field.slice(name.length + 1).trim());
  const lengths = values("content-length");
  const codings = values("transfer-encoding");
  if (lengths.length + codings.length > 1)
    throw new Error(`Response with two lengths: ${quoted(fields.join(" | "))}`);
  if (codings.length === 1) return readChunks(bytes, at);
  // RFC 9112 §6.3: without a length, the body ends when the connection is closed.
  if (lengths.length === 0) return { content: bytes.slice(at), end: bytes.length, isWhole: true };
  if (!/^\d+$/.test(lengths[0]!)) throw new Error(`Invalid length: ${quoted(lengths[0]!)}`);
  const end = at + Number(lengths[0]);
  return { content: bytes.slice(at, end), end, isWhole: end <= bytes.length };
}

function readChunks(bytes: string, from: number) {
  let content = "";
  for (let at = from; ; ) {
    const line = bytes.indexOf("\r\n", at);
    if (line === -1) return { content, end: bytes.length, isWhole: false };
    const size = bytes.slice(at, line);
    if (!/^[0-9a-f]{1,8}$/i.test(size)) throw new Error(`Invalid chunk size: ${quoted(size)}`);
    const start = line + 2;
    const end = start + Number.parseInt(size, 16);
    if (bytes.length < end + 2) return { content, end: bytes.length, isWhole: false };
    if (!bytes.startsWith("\r\n", end)) throw new Error("Chunk that doesn't match its size");
    content += bytes.slice(start, end);
    at = end + 2;
    if (end === start) return { content, end: at, isWhole: true };
  }
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 200));
