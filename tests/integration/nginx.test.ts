import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../free-port";
import { until } from "../process-figures";
import { SiteProcess } from "../site-process";

const isInstalled = spawnSync("nginx", ["-v"]).status === 0;
const URL_PATH = "/media/videos/u/1700000000000.mp4";

/** The server block that the README gives, with the places of this test. */
function readmeServer(): string {
  const readme = fs.readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const block = /```nginx\n(server .*?)```/s.exec(readme)?.[1];
  if (!block) throw new Error("The README has no server block for nginx any more.");
  return block;
}

// `npm test` installs it, and tells what was not tested where it cannot.
describe.runIf(isInstalled)("behind nginx as the README sets it up", () => {
  const site = new SiteProcess({ ACCEL_PREFIX: "/protected" });
  let nginx: ChildProcess;
  let url: string;

  const configurationOf = (port: number) => `
    daemon off;
    master_process off;
    pid ${site.folder}/nginx.pid;
    error_log stderr;
    events {}
    http {
      access_log off;
      client_body_temp_path ${site.folder}/body;
      proxy_temp_path ${site.folder}/proxy;
      fastcgi_temp_path ${site.folder}/fastcgi;
      uwsgi_temp_path ${site.folder}/uwsgi;
      scgi_temp_path ${site.folder}/scgi;
      ${readmeServer()
        .replace("server_name videos.example;", `listen 127.0.0.1:${port};`)
        .replace("http://127.0.0.1:3000", site.url)
        .replace("/srv/afterdark/uploads", site.uploads)}
    }`;

  beforeAll(async () => {
    await site.start();
    site.addFile("videos", "u/1700000000000.mp4", Buffer.from("0123456789".repeat(1_000)));
    site.addVideo({ id: "v", video_url: URL_PATH });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const configuration = path.join(site.folder, "nginx.conf");
    fs.writeFileSync(configuration, configurationOf(port));
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
    expect(whole.headers.get("Rating")).toBe("RTA-5042-1996-1400-1577-RTA");
    expect(await whole.text()).toBe("0123456789".repeat(1_000));
    const part = await fetch(url + URL_PATH, { headers: { Range: "bytes=10-14" } });
    expect([part.status, await part.text()]).toEqual([206, "01234"]);
  });

  it("what is hidden is 404, and the internal location too", async () => {
    site.database().exec("UPDATE videos SET status = 'hidden'");
    expect((await fetch(url + URL_PATH)).status).toBe(404);
    expect((await fetch(`${url}/protected/videos/u/1700000000000.mp4`)).status).toBe(404);
  });
});
