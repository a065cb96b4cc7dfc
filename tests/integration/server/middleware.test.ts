import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../../package.json";
import { until } from "../../process-figures";
import { rawGet, rawRequest } from "../../raw-request";
import { SiteProcess } from "../../site-process";

const site = new SiteProcess({ PUBLIC_URL: "https://videos.example" });
beforeAll(() => site.start());
afterAll(() => site.remove());

const STACK = /\bat .+:\d+:\d+|node_modules|node:|\/app\//;
const statusOf = (response: string) => Number(response.split(" ")[1]);

describe("a malformed request", () => {
  it.each([
    ["/", ["Host: a b"]],
    ["/", ["Host: [::zz]"]],
    ["/", ["Host: site.example:99999999"]],
    ["/", ["Host: site.example/path"]],
    ["/", ["Host: <script>"]],
    ["/%", undefined],
    ["/video/%E0%A4%A", undefined],
    ["/%zz?search=x", undefined],
    ["/?_data=routes/home", undefined],
    ["*", undefined],
    // These resolve to another path.
    ["/%2e/auth", undefined],
    ["/x/../auth", undefined],
    ["/x/..\\auth", undefined],
    ["/x\\..\\auth", undefined],
    ["/x/%2E%2e/auth", undefined],
    ["/%2e%2e/%2e%2e/etc/passwd", undefined],
    ["/assets/../../package.json", undefined],
    ["/.", undefined],
    // This is malformed only after it is decoded once.
    ["/%%34%31uth", undefined],
  ])("is rejected with 400 (target %s, headers %s)", async (target, headers) => {
    const response = await rawGet(site.url, target, headers);
    expect(statusOf(response)).toBe(400);
    expect(response).not.toMatch(STACK);
  });

  it("is rejected by Node if it is too large", async () => {
    const response = await rawGet(site.url, "/", ["Host: x", `X-Much: ${"a".repeat(20_000)}`]);
    expect(statusOf(response)).toBe(431);
  });

  it.each(["GARBAGE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"])(
    "is rejected by Node: %j",
    async (text) => {
      expect(statusOf(await rawRequest(site.url, text))).toBe(400);
    },
  );

  it("doesn't stop the site", async () => {
    expect(statusOf(await rawGet(site.url, "/"))).toBe(200);
    expect(site.log).not.toMatch(/error/i);
  });
});

describe("an unusual request", () => {
  it.each([
    ["/%00", 404],
    ["/%70rivacy", 200],
    ["/.well-known/nothing", 404],
    ["/...", 404],
    ["/assets/%2e%2e%2f%2e%2e%2fpackage.json", 404],
    ["//evil.example/", 404],
    ["http://elsewhere.example/", 200],
    ["/?search=%E0%A4%A&page=%", 200],
    ["http://elsewhere.example?search=x", 200],
  ])("for %s returns %i", async (target, status) => {
    const response = await rawGet(site.url, target);
    expect(statusOf(response)).toBe(status);
    expect(response).not.toMatch(STACK);
  });

  it("may omit the Host header if it uses HTTP/1.0", async () => {
    expect(statusOf(await rawRequest(site.url, "GET / HTTP/1.0\r\n\r\n"))).toBe(200);
  });
});

describe("the log", () => {
  it("contains the route and the result, but neither the path nor anything about the visitor", async () => {
    const agent = { "User-Agent": "agent-of-the-visitor", "X-Forwarded-For": "203.0.113.9" };
    await (await fetch(`${site.url}/?search=secretword`, { headers: agent })).text();
    await (await fetch(`${site.url}/_root.data?search=secretword`, { headers: agent })).text();
    await rawGet(site.url, "/%1b%5b31m/secret-path?search=secretword");
    await rawGet(site.url, "/\xff\x9b31m");
    await (await fetch(`${site.url}/tags/secretword`)).text();
    await (await fetch(`${site.url}/video/secretword/view`)).arrayBuffer();
    await (await fetch(`${site.url}/robots.txt`)).text();
    await until(() => site.log.includes("GET /robots.txt 200"));
    expect(site.log).toContain("GET /tags/:tag 404");
    expect(site.log).toContain("GET /video/:id/view 200");
    expect(site.log).toMatch(/^GET \/ 200 \S+ - [\d.]+ ms$/m);
    expect(site.log).not.toMatch(/secret|agent-of-the-visitor|203\.0\.113|127\.0\.0\.1 /);
    expect(site.log).not.toMatch(/[^\n\x20-\x7e]/);
  });

  it("doesn't contain health checks", async () => {
    await fetch(`${site.url}/healthz`);
    await (await fetch(`${site.url}/manifest.webmanifest`)).text();
    await until(() => site.log.includes("GET /manifest.webmanifest 200"));
    expect(site.log).not.toContain("/healthz");
  });
});

describe("a response", () => {
  it("has the security headers, whether it contains a page, a build file or an error", async () => {
    const page = await fetch(site.url);
    const asset = /\/assets\/[\w.-]+\.js/.exec(await page.text())![0];
    for (const { headers } of [page, await fetch(site.url + asset), await fetch(`${site.url}/%`)]) {
      expect(headers.get("Rating")).toBe("RTA-5042-1996-1400-1577-RTA");
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("X-Frame-Options")).toBe("DENY");
      expect(headers.get("Content-Security-Policy")).toMatch(
        /object-src 'none'; base-uri 'none';.* frame-ancestors 'none'$|^object-src 'none'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(headers.get("Strict-Transport-Security")).toBe("max-age=31536000");
      expect(headers.get("X-Powered-By")).toBeNull();
    }
    expect(page.headers.get("Content-Security-Policy")).toMatch(/script-src 'self' 'sha256-/);
  });
});

describe("the health check", () => {
  it("lists the failing checks", async () => {
    const sendRequest = async () => {
      const response = await fetch(`${site.url}/healthz`);
      return [response.status, await response.json()];
    };
    expect(await sendRequest()).toEqual([200, { status: "ok", version }]);
    fs.renameSync(path.join(site.uploads, "tmp"), path.join(site.uploads, "gone"));
    expect(await sendRequest()).toEqual([503, expect.objectContaining({ failing: ["uploads"] })]);
    fs.renameSync(path.join(site.uploads, "gone"), path.join(site.uploads, "tmp"));
    site.database().exec("ALTER TABLE catalogue_version RENAME TO elsewhere");
    expect(await sendRequest()).toEqual([503, expect.objectContaining({ failing: ["database"] })]);
    site.database().exec("ALTER TABLE elsewhere RENAME TO catalogue_version");
    expect(await sendRequest()).toEqual([200, { status: "ok", version }]);
  });
});

describe("an unexpected error", () => {
  it("returns 500 with a reference that is also in the log, but without a stack trace", async () => {
    site.database().exec("ALTER TABLE series RENAME TO elsewhere");
    try {
      const response = await fetch(`${site.url}/series/some-series?search=secret-search`);
      const html = await response.text();
      expect(response.status).toBe(500);
      expect(html).not.toMatch(/no such table|SqliteError/);
      expect(html).not.toMatch(/\bat .+:\d+:\d+/);
      const reference = /data-error-reference="([A-Z2-9]{8})"/.exec(html)?.[1];
      expect(reference).toBeDefined();
      expect(html).toMatch(new RegExp(`>${reference}<`));
      expect(site.log).not.toContain("secret-search");
      expect(site.log).toMatch(new RegExp(`Error ${reference}: GET /series/:slug .*no such table`));
    } finally {
      site.database().exec("ALTER TABLE elsewhere RENAME TO series");
    }
  });
});
