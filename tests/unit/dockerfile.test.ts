import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startEnvironment } from "../start-environment";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dockerfile = fs.readFileSync(path.join(root, "Dockerfile"), "utf8");
const instructions = dockerfile
  .replaceAll(/^\s*#.*$/gm, "")
  .replaceAll(/\\\n/g, " ")
  .split("\n")
  .map((line) => line.trim())
  .filter(Boolean);
const all = (name: string) =>
  instructions
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1));
const stages = all("FROM");
/** The image that serves. */
const serve = instructions.slice(
  instructions.findIndex((line) => /^FROM .* AS serve$/.test(line)),
  instructions.indexOf("FROM serve AS refresh"),
);

/** Debian's packages that the image may install, each looked up in Debian's list. */
const KNOWN_PACKAGES = ["python3", "make", "g++", "ffmpeg"];

describe("the Dockerfile", () => {
  it("copies only what git tracks", () => {
    const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");
    const copied = all("COPY")
      .filter((line) => !line.startsWith("--from"))
      .flatMap((line) => line.split(/\s+/).slice(0, -1));
    expect(copied).toContain("app");
    for (const source of copied) {
      expect(
        tracked.some((file) => file === source || file.startsWith(`${source}/`)),
        source,
      ).toBe(true);
    }
  });

  it("leaves nothing out that it copies", () => {
    const ignored = fs.readFileSync(path.join(root, ".dockerignore"), "utf8").split("\n");
    for (const source of all("COPY").flatMap((line) => line.split(/\s+/).slice(0, -1))) {
      expect(ignored).not.toContain(source);
    }
  });

  it("installs only packages that are known", () => {
    const installed = all("RUN").flatMap(
      (line) =>
        line
          .match(/apt-get install ([^&]+)/)?.[1]
          ?.trim()
          .split(/\s+/)
          .filter((word) => !word.startsWith("-")) ?? [],
    );
    expect(installed).toContain("ffmpeg");
    expect(KNOWN_PACKAGES).toEqual(expect.arrayContaining(installed));
  });

  it("is built in stages on a Debian slim image of Node", () => {
    expect(stages.map((stage) => stage.split(" AS ")[1])).toEqual([
      "build",
      "serve",
      "refresh",
      undefined,
    ]);
    for (const stage of stages.slice(0, 2))
      expect(stage).toMatch(/^node:\d+-(bookworm|trixie)-slim AS \w+$/);
    expect(stages.slice(2)).toEqual(["serve AS refresh", "serve"]);
    // What is built without a name is the image that serves, unchanged.
    expect(instructions.at(-1)).toBe("FROM serve");
  });

  it("takes Litestream from the image of the version that is tested", () => {
    const [image] = all("COPY").flatMap((line) => /^--from=(\S+:\S+) /.exec(line)?.[1] ?? []);
    const compose = fs.readFileSync(path.join(root, "compose.yaml"), "utf8");
    expect(compose).toContain(`image: ${image}\n`);
  });

  it("runs as a user other than root", () => {
    const user = serve.filter((line) => line.startsWith("USER ")).at(-1);
    expect(user).toBe("USER node");
    expect(serve.indexOf("USER node")).toBeLessThan(
      serve.findIndex((line) => line.startsWith("CMD ")),
    );
  });

  it("gives the volumes to the user it runs as, in the image that serves", () => {
    const chown = serve.findIndex((line) => line.includes("chown node:node db/data uploads"));
    expect(chown).toBeGreaterThan(0);
    expect(chown).toBeLessThan(serve.indexOf("USER node"));
  });

  it("sends no secret, certificate or library of this machine to the build", () => {
    const ignored = fs.readFileSync(path.join(root, ".dockerignore"), "utf8").split("\n");
    expect(ignored).toEqual(
      expect.arrayContaining([".env", "certificates", "db/data", "uploads/*/*"]),
    );
  });

  it("has the two volumes and a health check", () => {
    expect(all("VOLUME")).toEqual(['["/site/db/data", "/site/uploads"]']);
    expect(all("HEALTHCHECK")[0]).toContain("/healthz");
  });

  it("starts the site as npm start does, with the same bounds of memory", () => {
    const { NODE_OPTIONS, ...malloc } = startEnvironment();
    const flags = NODE_OPTIONS.split(" ");
    expect(flags).toContainEqual(expect.stringMatching(/^--max-old-space-size=\d+$/));
    expect(JSON.parse(all("CMD").at(0) ?? "")).toEqual(["node", ...flags, "scripts/start.mjs"]);
    expect(Object.keys(malloc)).toEqual(["MALLOC_ARENA_MAX", "MALLOC_TRIM_THRESHOLD_"]);
    for (const [name, value] of Object.entries(malloc)) {
      expect(all("ENV").join(" ")).toContain(`${name}=${value} `);
    }
  });
});
