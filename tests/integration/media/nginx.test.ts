import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../free-port";
import { until } from "../../process-figures";
import { SiteProcess } from "../../site-process";

const isInstalled = spawnSync("nginx", ["-v"]).status === 0;
const RTA = "RTA-5042-1996-1400-1577-RTA";
const URL_PATH = "/media/videos/u/1700000000000.mp4";

// `npm test` installs it, and tells what was not tested where it cannot.
describe.runIf(isInstalled)("behind nginx as docs/nginx.conf sets it up", () => {
  const site = new SiteProcess({ ACCEL_PREFIX: "/protected" });
  let nginx: ChildProcess;
  let url: string;
  let redirectPort: number;

  /** docs/nginx.conf without TLS, with the ports and folders of this test. */
  function configurationOf(port: number, redirectPort: number): string {
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((name) => `${name}_temp_path ${site.folder}/${name};`)
      .join(" ");
    const changes: [RegExp, string][] = [
      [/^pid .*;$/m, `pid ${site.folder}/nginx.pid; daemon off; master_process off;`],
      [/^http \{$/m, `http { ${temporary}`],
      [/listen 80;/, `listen 127.0.0.1:${redirectPort};`],
      [/listen 443 ssl http2;/, `listen 127.0.0.1:${port};`],
      [/^ *ssl_.*;$/gm, ""],
      [/http:\/\/site:3000/, site.url],
      [/\/srv\/afterdark\/uploads/, site.uploads],
    ];
    const file = new URL("../../../docs/nginx.conf", import.meta.url);
    return changes.reduce(
      (text, [from, to]) => {
        expect(text).toMatch(from);
        return text.replace(from, to);
      },
      fs.readFileSync(file, "utf8"),
    );
  }

  beforeAll(async () => {
    await site.start();
    site.addFile("videos", "u/1700000000000.mp4", Buffer.from("0123456789".repeat(1_000)));
    site.addVideo({ id: "v", video_url: URL_PATH });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const configuration = path.join(site.folder, "nginx.conf");
    redirectPort = await freePort();
    fs.writeFileSync(configuration, configurationOf(port, redirectPort));
    nginx = spawn("nginx", ["-c", configuration, "-p", site.folder], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    await until(() =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  });
  afterAll(async () => {
    nginx?.kill();
    await site.remove();
  });

  it("a file and its parts come from nginx, and the prefix stays hidden", async () => {
    const whole = await fetch(url + URL_PATH);
    expect(whole.status).toBe(200);
    expect(whole.headers.get("X-Accel-Redirect")).toBeNull();
    expect(whole.headers.get("Content-Type")).toBe("video/mp4");
    expect(whole.headers.get("Cache-Control")).toContain("max-age=3600");
    expect(whole.headers.get("Content-Security-Policy")).toContain("sandbox");
    expect(whole.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(whole.headers.get("Rating")).toBe(RTA);
    expect(await whole.text()).toBe("0123456789".repeat(1_000));
    const part = await fetch(url + URL_PATH, { headers: { Range: "bytes=10-14" } });
    expect([part.status, await part.text()]).toEqual([206, "01234"]);
    const beyond = await fetch(url + URL_PATH, { headers: { Range: "bytes=90000-" } });
    const etag = whole.headers.get("ETag")!;
    const known = await fetch(url + URL_PATH, { headers: { "If-None-Match": etag } });
    expect([beyond.status, known.status]).toEqual([416, 304]);
    for (const answer of [part, beyond, known]) {
      expect(answer.headers.get("Rating"), String(answer.status)).toBe(RTA);
    }
  });

  it("what is hidden is 404, and the internal location too", async () => {
    site.database().exec("UPDATE videos SET status = 'hidden'");
    expect((await fetch(url + URL_PATH)).status).toBe(404);
    expect((await fetch(`${url}/protected/videos/u/1700000000000.mp4`)).status).toBe(404);
  });

  it("plain HTTP leads to HTTPS, with the address as it was", async () => {
    const answer = await fetch(`http://127.0.0.1:${redirectPort}/video/v?t=90`, {
      redirect: "manual",
    });
    expect([answer.status, answer.headers.get("Rating")]).toEqual([301, RTA]);
    expect(answer.headers.get("Location")).toBe("https://127.0.0.1/video/v?t=90");
  });
});
