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
const lastStage = instructions.slice(
  instructions.findLastIndex((line) => line.startsWith("FROM ")),
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
    const stages = all("FROM");
    expect(stages.length).toBeGreaterThan(1);
    for (const stage of stages)
      expect(stage).toMatch(/^node:\d+-(bookworm|trixie)-slim( AS \w+)?$/);
  });

  it("runs as a user other than root", () => {
    const user = lastStage.filter((line) => line.startsWith("USER ")).at(-1);
    expect(user).toBe("USER node");
    expect(lastStage.indexOf("USER node")).toBeLessThan(
      lastStage.findIndex((line) => line.startsWith("CMD ")),
    );
  });

  it("gives the volumes to the user it runs as, in the image that serves", () => {
    const chown = lastStage.findIndex((line) => line.includes("chown node:node db/data uploads"));
    expect(chown).toBeGreaterThan(0);
    expect(chown).toBeLessThan(lastStage.indexOf("USER node"));
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
    expect(JSON.parse(all("CMD").at(-1) ?? "")).toEqual(["node", ...flags, "scripts/start.mjs"]);
    expect(Object.keys(malloc)).toEqual(["MALLOC_ARENA_MAX", "MALLOC_TRIM_THRESHOLD_"]);
    for (const [name, value] of Object.entries(malloc)) {
      expect(all("ENV").join(" ")).toContain(`${name}=${value} `);
    }
  });
});
