import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "~/features/permissions/route-of";
import { JOB_KINDS } from "~db/schema/media";
import { ADMIN, SiteProcess } from "../../site-process";

const TOKEN = "0123456789abcdef0123456789abcdef";

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Parses the Prometheus text format. Fails on invalid lines. */
function samplesOf(text: string): Sample[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "))
    .map((line) => {
      const [, name = "", labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      expect(value, line).toBeDefined();
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)/g)];
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, label, text]) => [label!, text!])),
        value: Number(value),
      };
    });
}

const figure = (samples: Sample[], name: string, labels: Record<string, string> = {}) =>
  samples.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
  )?.value;

/** Sends a request without changing its headers or path. Returns the status and the body. */
async function send(
  site: SiteProcess,
  path: string,
  headers: http.OutgoingHttpHeaders = {},
  method = "GET",
) {
  const { hostname, port } = new URL(site.url);
  const request = http.request({ hostname, port, path, headers, method, agent: false });
  request.end();
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}

const scrape = async (site: SiteProcess, headers: http.OutgoingHttpHeaders = {}) =>
  samplesOf((await send(site, "/metrics", headers)).text);

describe("metrics requested without a token", () => {
  const site = new SiteProcess();
  beforeAll(async () => {
    await site.start();
    await scrape(site);
  });
  afterAll(() => site.remove());

  it("are in the Prometheus text format and aren't cached", async () => {
    const { status, headers, text } = await send(site, "/metrics");
    expect(status).toBe(200);
    expect(headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(headers["cache-control"]).toBe("no-store");
    for (const { name } of samplesOf(text)) expect(text).toContain(`# HELP ${name.slice(0, 12)}`);
    expect(site.log).not.toContain("/metrics");
  });

  it.each([
    { "X-Forwarded-For": "203.0.113.9" },
    { "X-Forwarded-For": "127.0.0.1" },
    { "x-forwarded-proto": "https" },
    { Forwarded: "for=127.0.0.1" },
    { "X-Real-IP": "127.0.0.1" },
    { Via: "1.1 proxy" },
    { Host: "videos.example" },
    { Host: "127.0.0.1.videos.example" },
  ])("are available only on this machine, and not through a local proxy: %j", async (headers) => {
    for (const path of ["/metrics", "/metrics?x", "/metrics.data", "/metrics/"]) {
      const { text } = await send(site, path, headers as http.OutgoingHttpHeaders);
      expect(text, path).not.toContain("afterdark_jobs");
    }
    expect((await send(site, "/metrics", headers as http.OutgoingHttpHeaders)).status).toBe(403);
  });

  it("never identify a visitor or a video in a label, and never contain a URL with an ID", async () => {
    const id = site.addVideo({ title: "Marked evening", status: "published" });
    const before = (await scrape(site)).length;
    const marked = "mark7f3a";
    const paths = [
      `/video/${id}`,
      `/video/${id}.data?_routes=root`,
      `/video/${id}/stream`,
      `/?search=${marked}`,
      `/tags/${marked}`,
      `/media/videos/${marked}/1.mp4`,
      `/media/../../${marked}`,
      `/invite/${marked}`,
      `/preview/${marked}/media/videos/x/1.mp4`,
      `/assets/${marked}.js`,
      `/${marked}`,
      `//${marked}//`,
      `/%2e%2e/${marked}`,
      `/%zz/${marked}`,
      `/video/${marked}%22%7D%0Aafterdark_jobs%201`,
      `/__manifest?p=${marked}`,
      `/admin/videos/${marked}/statistics`,
      `/${"a/".repeat(500)}${marked}`,
      "/constructor",
      "/__proto__",
      "/*",
      "*",
    ];
    for (let index = 0; index < 300; index++) paths.push(`/${marked}-${index}/${index}`);
    const headers = { "User-Agent": marked, Referer: `https://${marked}.example`, Cookie: marked };
    for (const path of paths) await send(site, path, headers);
    await send(site, "/", headers, "DELETE");
    const samples = await scrape(site);
    const text = JSON.stringify(samples);
    for (const mark of [marked, id, "Marked", "127.0.0.1"]) expect(text).not.toContain(mark);
    const routes = new Set(samples.flatMap(({ labels }) => labels.route ?? []));
    expect(routes.size).toBeGreaterThan(8);
    expect([...routes].filter((route) => !ROUTES.includes(route))).toEqual([]);
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
    const known = [
      ...["route", "status", "le", "kind", "state", "part", "file", "version"],
      // These metrics come from Node.js: resources, garbage collection, heaps, and its version.
      ...["type", "space", "major", "minor", "patch"],
    ];
    expect([...labels].filter((label) => !known.includes(label))).toEqual([]);
    // Each route has a histogram of 14 lines, plus one line for each status class.
    expect(samples.length - before).toBeLessThan(routes.size * 20);
  });

  it("count pages, cache hits, failed sign-ins and open streams", async () => {
    const before = await scrape(site);
    await send(site, "/trending");
    await send(site, "/trending");
    const body = new URLSearchParams({ email: ADMIN.email, password: "wrong password" });
    const rejected = await fetch(`${site.url}/auth`, {
      method: "POST",
      body,
      headers: { Origin: site.url },
    });
    expect(rejected.status).toBe(400);
    const stream = await fetch(`${site.url}/events`);
    const after = await scrape(site);
    const grown = (name: string, labels = {}) =>
      figure(after, name, labels)! - (figure(before, name, labels) ?? 0);
    const trending = { route: "/trending" };
    expect(grown("afterdark_http_requests_total", { ...trending, status: "2xx" })).toBe(2);
    expect(grown("afterdark_http_request_duration_seconds_count", trending)).toBe(2);
    expect(grown("afterdark_http_requests_total", { route: "/auth", status: "4xx" })).toBe(1);
    expect(grown("afterdark_page_cache_hits_total")).toBe(1);
    expect(grown("afterdark_page_cache_misses_total")).toBe(1);
    expect(grown("afterdark_sign_in_failures_total")).toBe(1);
    expect(grown("afterdark_open_responses", { kind: "events" })).toBe(1);
    await stream.body?.cancel();
    await expect
      .poll(async () => figure(await scrape(site), "afterdark_open_responses", { kind: "events" }))
      .toBe(0);
  });

  it("count a download while it is open, until the client disconnects", async () => {
    const url = site.addFile("videos", "u/1.mp4", Buffer.alloc(64 * 1024 * 1024));
    site.addVideo({ status: "published", video_url: url });
    const downloads = async () =>
      figure(await scrape(site), "afterdark_open_responses", { kind: "download" });
    const request = http.get(new URL(url, site.url), { agent: false });
    const [response] = (await once(request, "response")) as [http.IncomingMessage];
    response.pause();
    expect(response.statusCode).toBe(200);
    expect(await downloads()).toBe(1);
    response.destroy();
    await expect.poll(downloads).toBe(0);
  });

  it("report the queue by kind and state, the disk, the database and the event loop", async () => {
    const video = site.addVideo();
    const add = site
      .database()
      .prepare("INSERT INTO jobs (video_id, kind, state, priority) VALUES (?, ?, ?, 1)");
    add.run(video, "ladder", "waiting");
    add.run(video, "poster", "failed");
    const samples = await scrape(site);
    const jobs = (kind: string, state: string) =>
      figure(samples, "afterdark_jobs", { kind, state });
    expect(jobs("ladder", "waiting")).toBe(1);
    expect(jobs("poster", "failed")).toBe(1);
    for (const kind of JOB_KINDS) expect(jobs(kind, "running")).toBe(0);
    expect(figure(samples, "afterdark_queue_paused")).toBe(0);
    expect(figure(samples, "afterdark_disk_free_bytes")).toBeGreaterThan(0);
    expect(figure(samples, "afterdark_database_bytes", { file: "database" })).toBeGreaterThan(
      10_000,
    );
    expect(figure(samples, "afterdark_database_bytes", { file: "wal" })).toBeGreaterThanOrEqual(0);
    expect(figure(samples, "nodejs_eventloop_lag_p99_seconds")).toBeGreaterThanOrEqual(0);
    expect(figure(samples, "process_resident_memory_bytes")).toBeGreaterThan(50e6);
    expect(figure(samples, "process_max_fds")).toBeGreaterThan(100);
    for (const part of ["database", "disk", "files"]) {
      expect(figure(samples, "afterdark_collection_failed", { part }), part).toBe(0);
    }
  });

  it("report which part couldn't be read, and still include the rest", async () => {
    site.database().exec("ALTER TABLE alerts RENAME TO alerts_away");
    try {
      const samples = await scrape(site);
      expect(figure(samples, "afterdark_collection_failed", { part: "database" })).toBe(1);
      expect(figure(samples, "afterdark_collection_failed", { part: "disk" })).toBe(0);
      expect(figure(samples, "afterdark_http_requests_total")).toBeGreaterThan(0);
    } finally {
      site.database().exec("ALTER TABLE alerts_away RENAME TO alerts");
    }
  });

  it("include every metric and label that the dashboard and the Prometheus rules use", async () => {
    const { text } = await send(site, "/metrics");
    const types = new Map(
      [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name!, type!]),
    );
    const samples = samplesOf(text);
    for (const file of ["docs/monitoring/dashboard.json", "docs/monitoring/alerts.yml"]) {
      const source = fs.readFileSync(file, "utf8").replaceAll('\\"', '"');
      const used = [...source.matchAll(/\b((?:afterdark|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
      expect(used.length, file).toBeGreaterThan(15);
      for (const [, name = "", matchers = ""] of used) {
        const base = types.has(name) ? name : name.replace(/_(bucket|count|sum)$/, "");
        expect(types.has(base), `${file}: ${name}`).toBe(true);
        if (base !== name) expect(types.get(base)).toBe("histogram");
        const labels = [...matchers.matchAll(/(\w+)=~?"/g)].map(([, label]) => label!);
        const known = samples
          .filter((sample) => sample.name === name)
          .flatMap((sample) => Object.keys(sample.labels));
        for (const label of labels.filter((label) => label !== "job")) {
          expect(known, `${file}: ${name}`).toContain(label);
        }
      }
    }
  });

  it("are shared by concurrent scrapes", async () => {
    const all = await Promise.all(Array.from({ length: 30 }, () => send(site, "/metrics")));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    await setImmediate();
  });
});

describe("the metrics with a token", () => {
  const site = new SiteProcess({ METRICS_TOKEN: TOKEN });
  beforeAll(() => site.start());
  afterAll(() => site.remove());

  it.each([
    {},
    { Authorization: "Bearer" },
    { Authorization: `Bearer ${TOKEN}x` },
    { Authorization: `Basic ${TOKEN}` },
    { Authorization: `Bearer ${TOKEN.slice(1)}` },
    { Authorization: "Bearer undefined" },
  ])("can't be read without it, even on this machine: %j", async (headers) => {
    const { status, headers: responseHeaders, text } = await send(site, "/metrics", headers);
    expect(status).toBe(401);
    expect(responseHeaders["www-authenticate"]).toBe('Bearer realm="metrics"');
    expect(text).not.toContain("afterdark_");
    expect((await send(site, "/metrics.data", headers)).text).not.toContain("afterdark_jobs");
  });

  it("can be read with it, even through a proxy", async () => {
    const headers = { Authorization: `Bearer ${TOKEN}`, "X-Forwarded-For": "203.0.113.9" };
    expect(figure(await scrape(site, headers), "afterdark_build_info")).toBe(1);
    expect(site.log).not.toContain(TOKEN);
  });
});

describe("the JSON log", () => {
  const site = new SiteProcess({ LOG_FORMAT: "json", ADMIN_EMAIL: ADMIN.email });
  beforeAll(() => site.start());
  afterAll(() => site.remove());

  it("has one line per event, with the same data as the text log", async () => {
    await send(site, "/?search=mark7f3a", { "User-Agent": "mark7f3a", Referer: "http://mark7f3a" });
    await send(site, "/invite/mark7f3a?x=1", { Cookie: "mark7f3a" });
    await send(site, "/healthz");
    // A route fails unexpectedly, with a stack trace of many lines.
    site.database().exec("ALTER TABLE videos RENAME TO videos_away");
    await send(site, "/trending");
    site.database().exec("ALTER TABLE videos_away RENAME TO videos");
    await expect.poll(() => site.log).toContain("/trending");
    const lines = site.log.trimEnd().split("\n");
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const event of events) {
      expect(event.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(["info", "warning", "error"]).toContain(event.level);
      const rest = Object.keys(event).filter((name) => !["time", "level"].includes(name));
      expect([["message"], ["method", "route", "status", "bytes", "ms"]]).toContainEqual(rest);
    }
    expect(events).toContainEqual(
      expect.objectContaining({ method: "GET", route: "/", status: 200, ms: expect.any(Number) }),
    );
    expect(events).toContainEqual(expect.objectContaining({ route: "/invite/:token" }));
    expect(events.filter(({ level }) => level === "error").map(String)).not.toEqual([]);
    for (const mark of ["mark7f3a", "/healthz", ADMIN.email.concat(":")]) {
      expect(site.log).not.toContain(mark);
    }
    expect(events.some(({ route }) => String(route).includes("127.0.0.1"))).toBe(false);
  });
});
