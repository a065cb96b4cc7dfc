import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { clientAddressOf } from "~/platform/client-address.server";
import { decrypt, encrypt } from "~/platform/encryption.server";
import { refuseMalformedTarget } from "~/platform/node/request-target.server";
import { safePath } from "~/platform/safe-redirect";
import { findSignedCookie, signedCookie } from "~/platform/signed-cookie.server";
import { readFields } from "~/platform/small-form.server";
import { parseByteRange } from "~/shared/byte-range";
import { failedPrecondition, matchesWeakly, rangeStillFits } from "~/shared/conditional";
import { assertTrue, headerValue, MAX_HEADER_LENGTH, type Target, words } from "./target";

const ETAG = '"0-1a2b"';
const VALIDATORS = { etag: ETAG, lastModified: 1_700_000_000_500 };
const SIZES = [0, 1, 2, 499, 10_000, 2 ** 31, 2 ** 40];
const DAY_MS = 86_400_000;
const HTTP_DATE = "Tue, 14 Nov 2023 22:13:20 GMT";

const NAMES = ["session", "toast"] as const;

let cookies: Map<string, string> | undefined;
let encrypted: string | undefined;

/** Returns signed cookies together with their names and values. */
function signedCookies(): Map<string, string> {
  cookies ??= new Map(
    NAMES.flatMap((name) =>
      ["a", '{"title":"Saved"}', "ü 🎬"].map(
        (value) =>
          [
            signedCookie(name, value, Date.now() + DAY_MS).split(";")[0]!,
            `${name} ${value}`,
          ] as const,
      ),
    ),
  );
  return cookies;
}

/** Parsers for the parts of a request that the site reads before a route handles the request. */
export const REQUESTS: readonly Target[] = [
  {
    name: "Range",
    corpus: [
      "bytes=0-499",
      "bytes=500-",
      "bytes=-500",
      "bytes=0-0",
      "bytes=0-499,600-",
      "items=0-1",
    ],
    words: words("bytes= BYTES= - , 0 499 -1   \t bytes=- 0- =="),
    maxLength: MAX_HEADER_LENGTH,
    feed(input, random) {
      const size = random.pick(SIZES);
      const range = parseByteRange(headerValue(input), size);
      if (range === undefined || range === "unsatisfiable") return;
      const { start, end } = range;
      assertTrue(Number.isSafeInteger(start) && Number.isSafeInteger(end), `${start}-${end}`);
      assertTrue(start >= 0 && start <= end && end < size, `${start}-${end} of ${size}`);
    },
  },
  {
    name: "conditional headers",
    corpus: [ETAG, `W/${ETAG}, "x"`, "*", HTTP_DATE, '"a","b",W/"c"', "2023-11-14T22:13:20Z"],
    words: [...words('" W/ W/" * , GMT 1970 Tue, "" "," 99999'), ETAG, HTTP_DATE],
    maxLength: MAX_HEADER_LENGTH,
    feed(input, random) {
      const value = headerValue(input);
      const names = ["If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"];
      const name = random.pick(names);
      const status = failedPrecondition(new Headers({ [name]: value }), VALIDATORS);
      assertTrue([undefined, 304, 412].includes(status), `${status}`);
      const mayFail = name === "If-Match" || name === "If-Unmodified-Since" ? 412 : 304;
      assertTrue(status === undefined || status === mayFail, `${name} gives ${status}`);
      assert.equal(matchesWeakly(`${value}, ${ETAG}`, ETAG) || value.includes('"'), true);
      rangeStillFits(value, VALIDATORS);
    },
  },
  {
    name: "cookies",
    corpus: ["session=abc.def", "a=b; session=x.y; toast=z.w", "session=; session=", "=; ;;"],
    words: words("session= toast= ; = . == session=a. \t"),
    maxLength: MAX_HEADER_LENGTH,
    feed(input, random) {
      const [cookie, content] = random.pick([...signedCookies()]);
      const at = random.below(input.length + 1);
      const header = headerValue(input.slice(0, at) + cookie + input.slice(at));
      for (const name of NAMES) {
        const value = findSignedCookie(header, name);
        if (value !== undefined) assert.equal(`${name} ${value}`, content);
      }
      const whole = findSignedCookie(`x=${header.replaceAll(/[;=.]/g, "")}; ${cookie}`, "session");
      assert.equal(whole, content.startsWith("session ") ? content.slice(8) : undefined);
    },
  },
  {
    name: "encrypted texts",
    corpus: ["", "abc", "A".repeat(80)],
    words: words("A _ - = AAAA"),
    maxLength: 4_096,
    feed(input, random) {
      encrypted ??= encrypt("torture", "a secret");
      const at = random.below(encrypted.length + 1);
      for (const text of [
        input,
        encrypted.slice(0, at) + input,
        input + encrypted,
        encrypted.slice(0, at),
      ]) {
        const opened = decrypt("torture", text);
        assertTrue(opened === undefined || opened === "a secret", `${opened}`);
      }
      assert.equal(decrypt("another purpose", encrypted), undefined);
    },
  },
  {
    name: "redirect targets",
    corpus: [
      "/admin?tab=manage",
      "/video/1?t=5#x",
      "//evil.example",
      "/%2e%2e//evil",
      "/\\evil",
      "/a%252f",
    ],
    words: words("/ // \\ %2f %5c %252e .. . ? # @ : http: https://evil.example javascript: \t"),
    maxLength: 4_000,
    feed(input) {
      const path = safePath(input, "/fallback");
      assert.match(path, /^\/(?![/\\])/);
      const url = new URL(path, "https://site.example");
      assert.equal(url.origin, "https://site.example");
      // Escaping makes a path longer, so the escaped path may exceed the limit.
      if (path.length <= 2_000) assert.equal(safePath(path, "/other"), path, "not idempotent");
    },
  },
  {
    name: "client address",
    corpus: [
      "203.0.113.9",
      "1.2.3.4, 5.6.7.8",
      "[2001:db8::1]:443",
      "2001:db8::1",
      "::ffff:1.2.3.4",
      "fe80::1%eth0",
    ],
    words: words(", : :: [ ] % 1 255 2001 ffff ::ffff: . unknown _hidden :443"),
    maxLength: MAX_HEADER_LENGTH,
    feed(input) {
      const socket = { remoteAddress: "198.51.100.7" };
      const request = { headers: { "x-forwarded-for": headerValue(input) }, socket };
      const address = clientAddressOf(request as unknown as IncomingMessage);
      const isNetwork = /^[\da-f]{1,4}(:[\da-f]{1,4}){3}$/.test(address);
      assertTrue(isIP(address) === 4 || isNetwork, address);
    },
  },
  {
    name: "request target",
    corpus: [
      "/video/1?t=1",
      "http://site.example/x",
      "/%F0%9F%98%80",
      "?a",
      "*",
      "//x",
      "/a?_data=routes",
    ],
    words: words("/ ? # % %2 %zz http:// HTTPS:// [ ] : :0 @ _data= * \\ .. %00 site.example"),
    maxLength: MAX_HEADER_LENGTH,
    feed(input, random) {
      const hosts = ["site.example", "[::1]:3000", headerValue(input), "a b", "x:99999", ""];
      const url = headerValue(input).replaceAll(/\s/g, "");
      const request = { url, headers: { host: random.pick(hosts) } } as unknown as IncomingMessage;
      let status = 0;
      const response = {
        writeHead(code: number) {
          status = code;
        },
        end() {},
      };
      if (refuseMalformedTarget(request, response as unknown as ServerResponse)) {
        assert.equal(status, 400);
        return;
      }
      // This is how the framework builds the URL.
      const { pathname } = new URL(`http://${request.headers.host}${request.url}`);
      decodeURIComponent(pathname);
      assertTrue(request.url!.startsWith("/"));
    },
  },
  {
    name: "forms",
    corpus: ["name=a&email=b%40c&subject=&message=x", "a=1&a=2&__proto__=x", "%&=&&%zz"],
    words: words("& = % %00 %C3 + ; a= name= __proto__="),
    maxLength: 16 * 1024,
    share: 0.2,
    async feed(input, random) {
      const type = random.pick([
        "application/x-www-form-urlencoded",
        "text/plain",
        headerValue(input),
      ]);
      const request = new Request("http://site.example/contact", {
        ...{ method: "POST", body: input },
        headers: { "Content-Type": type },
      });
      const maxBytes = 8 * 1024;
      try {
        const form = await readFields(request, maxBytes);
        assertTrue([...form].every(([, value]) => typeof value === "string"));
        assertTrue(Buffer.byteLength(input) <= maxBytes);
      } catch (error) {
        if (!(error instanceof Response)) throw error;
        assertTrue([413, 415].includes(error.status), `${error.status}`);
      }
    },
  },
];
