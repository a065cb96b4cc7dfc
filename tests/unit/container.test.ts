import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { SETTING_NAMES } from "~/platform/settings.server";
import { imageEnvironment } from "../image-environment";

// Rules that CI's hadolint and `docker compose config` can't check.

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");

describe("the Dockerfile", () => {
  const instructions = read("Dockerfile").replaceAll(/\\\n/g, " ").split("\n");
  const all = (name: string) =>
    instructions.flatMap((line) =>
      line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : [],
    );

  it("copies only files that git tracks and .dockerignore doesn't exclude", () => {
    const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");
    const ignored = read(".dockerignore").split("\n");
    const copied = all("COPY")
      .filter((line) => !line.startsWith("--from"))
      .flatMap((line) => line.split(/\s+/).slice(0, -1));
    expect(copied).toContain("app");
    for (const source of copied) {
      const files = tracked.filter((file) => file === source || file.startsWith(`${source}/`));
      expect(files, source).not.toEqual([]);
      expect(ignored).not.toContain(source);
    }
    expect(ignored).toEqual(expect.arrayContaining([".env", "certificates", "db/data"]));
  });

  it("limits Node's memory, because the start script doesn't", () => {
    const { NODE_OPTIONS, ...malloc } = imageEnvironment();
    expect(NODE_OPTIONS).toContain("--max-old-space-size=");
    expect(malloc).toHaveProperty("MALLOC_ARENA_MAX");
    expect(JSON.parse(read("package.json")).scripts.start).toBe("node scripts/start.mjs");
  });
});

describe("compose.yaml", () => {
  const { services } = parse(read("compose.yaml")) as {
    services: Record<string, { environment: Record<string, string> } & Record<string, unknown>>;
  };

  it.each(["site", "reader"])("sets only known settings for the %s service", (name) => {
    const names = Object.keys(services[name]!.environment);
    expect(names.length).toBeGreaterThan(2);
    for (const setting of names) expect(SETTING_NAMES).toContain(setting);
  });

  it("adds nginx to the group that can read the site's files", () => {
    expect(services.proxy).toMatchObject({
      volumes: expect.arrayContaining(["./docs/nginx.group:/etc/group:ro"]),
    });
    const groups = read("docs/nginx.group")
      .trim()
      .split("\n")
      .map((line) => line.split(":"));
    // The ID of the image's `node` group.
    const ofSite = groups.find(([, , number]) => number === "1000");
    expect(ofSite?.at(-1)).toBe("nginx");
    expect(groups.map(([name]) => name)).toEqual(expect.arrayContaining(["root", "nginx"]));
  });

  it("doesn't give any service unnecessary privileges", () => {
    expect(Object.keys(services).length).toBeGreaterThan(3);
    for (const [name, service] of Object.entries(services)) {
      expect(service, name).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
      });
      expect(service, name).not.toHaveProperty("privileged");
    }
  });
});
