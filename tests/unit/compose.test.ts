import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { SETTING_NAMES } from "~/server/settings.server";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");
type Name = "site" | "proxy" | "litestream" | "reader" | "refresh" | "worker";
interface Service {
  build: string;
  image?: string;
  profiles?: string[];
  command?: string[];
  volumes: string[];
  environment: Record<string, string>;
}
const { services, volumes } = parse(read("compose.yaml")) as {
  services: Record<Name, Service>;
  volumes: Record<string, unknown>;
};
const mountsOf = (service: Name) =>
  services[service].volumes.map((mount) => {
    const [source = "", target = "", mode = ""] = mount.split(":");
    return { source, target, mode, isFolder: source.startsWith(".") };
  });

describe("compose.yaml", () => {
  it("builds the site from this folder, and mounts the volumes of its Dockerfile", () => {
    expect(fs.existsSync(path.join(root, services.site.build, "Dockerfile"))).toBe(true);
    const declared = JSON.parse(/^VOLUME (.*)$/m.exec(read("Dockerfile"))![1]!) as string[];
    expect(mountsOf("site").map(({ target }) => target)).toEqual(declared);
    for (const { source } of mountsOf("site")) expect(Object.keys(volumes)).toContain(source);
  });

  it.each(["site", "proxy", "litestream", "reader", "refresh", "worker"] as const)(
    "gives %s a read-only root and no rights to spare",
    (name) => {
      const service = services[name];
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        tmpfs: expect.any(Array),
        mem_limit: expect.stringMatching(/^(\$\{MEMORY:-4g\}|256m)$/),
        pids_limit: expect.any(Number),
      });
      expect(service).not.toHaveProperty("privileged");
      // The default of seccomp stays.
      expect(JSON.stringify(service)).not.toContain("unconfined");
    },
  );

  it("sets only settings that exist, where the volumes are", () => {
    const environment = services.site.environment;
    for (const name of Object.keys(environment)) expect(SETTING_NAMES).toContain(name);
    const [database, uploads] = mountsOf("site");
    expect(path.dirname(environment.DATABASE_PATH!)).toBe(database!.target);
    expect(environment.UPLOADS_DIR).toBe(uploads!.target);
  });

  it("starts Litestream by its profile alone, on the site's database, with the configuration of docs", () => {
    const { profiles, environment, volumes: mounts } = services.litestream;
    expect(profiles).toEqual(["litestream"]);
    expect(environment.LITESTREAM_DATABASE).toBe(services.site.environment.DATABASE_PATH);
    expect(mounts).toContain(services.site.volumes[0]);
    const configuration = read("docs/litestream.yml");
    expect(mounts.find((mount) => mount.includes("litestream.yml"))).toMatch(
      /^\.\/docs\/litestream\.yml:\/etc\/litestream\.yml:ro$/,
    );
    for (const [, name] of configuration.matchAll(/\$\{(\w+)\}/g)) {
      expect(Object.keys(environment)).toContain(name);
    }
  });

  it("starts a worker by its profile alone, from the site's image, with nothing of the site's", () => {
    const { profiles, environment, command = [], volumes: mounts, image } = services.worker;
    expect(profiles).toEqual(["worker"]);
    expect(image).toBe(services.site.image);
    const [node, loader, script = "", ...options] = command;
    expect([node, loader]).toEqual(["node", "--import=tsx"]);
    expect(JSON.parse(read("package.json")).dependencies).toHaveProperty("tsx");
    const source = read(script);
    for (const option of options) expect(source).toContain(option.replace(/=.*/, " "));
    for (const name of Object.keys(environment)) {
      if (!SETTING_NAMES.includes(name as never)) expect(source).toContain(`process.env.${name}`);
    }
    // A name that is missing stops the whole file from being read, also for who wants the site alone.
    expect(read("compose.yaml")).not.toMatch(/\$\{\w+(:?\?|\})/);
    const folder = options.find((option) => option.startsWith("--folder="))!.split("=")[1];
    expect(mounts).toEqual([`work:${folder}`]);
    // A volume takes its owner from the image, where the account 1000 may write there.
    expect(read("Dockerfile")).toContain(`VOLUME ["/site/db/data", "${folder}"]`);
  });

  it("starts a reader and what refreshes it by their profile alone, on volumes that both have", () => {
    const { reader, refresh } = services;
    expect([reader.profiles, refresh.profiles]).toEqual([["reader"], ["reader"]]);
    expect(reader.image).toBe(services.site.image);
    expect(refresh.build).toEqual({ context: ".", target: "refresh" });
    expect([refresh.volumes, refresh.environment]).toEqual([reader.volumes, reader.environment]);
    for (const name of Object.keys(reader.environment)) expect(SETTING_NAMES).toContain(name);
    const [database, uploads] = mountsOf("reader");
    expect(path.dirname(reader.environment.DATABASE_PATH!)).toBe(database!.target);
    expect(reader.environment.UPLOADS_DIR).toBe(uploads!.target);
    const declared = JSON.parse(/^VOLUME (.*)$/m.exec(read("Dockerfile"))![1]!) as string[];
    expect(mountsOf("reader").map(({ target }) => target)).toEqual(declared);
    // Nothing of the site's own, which may run on the same machine.
    for (const { source } of mountsOf("reader")) {
      expect(Object.keys(volumes)).toContain(source);
      expect(mountsOf("site").map((mount) => mount.source)).not.toContain(source);
    }
    const [node, loader, script = "", ...options] = refresh.command ?? [];
    expect([node, loader]).toEqual(["node", "--import=tsx"]);
    for (const option of options) expect(read(script)).toContain(option.replace(/=.*/, " "));
  });

  it("starts nginx by its profile alone, with everything mounted read-only", () => {
    expect(services.site.profiles).toBeUndefined();
    expect(services.proxy.profiles).toEqual(["proxy"]);
    for (const { mode } of mountsOf("proxy")) expect(mode).toBe("ro");
    const configuration = mountsOf("proxy").find(({ target }) => target.endsWith("nginx.conf"))!;
    expect(read(configuration.source)).toContain("server site:3000;");
    const paths = read(configuration.source).match(/(?<=ssl_certificate\w* |alias )[^;]+/g) ?? [];
    expect(paths).toHaveLength(3);
    for (const file of paths) {
      expect(
        mountsOf("proxy").some(({ target }) => file.startsWith(target)),
        file,
      ).toBe(true);
    }
  });
});

describe("the workflow", () => {
  it("runs the whole suite on every version of Node that is supported", () => {
    const { jobs } = parse(read(".github/workflows/test.yml"));
    expect(jobs.test.strategy.matrix.node).toEqual([20, 22, 24]);
    expect(jobs.test.steps.at(-1).run).toBe(".ci/run");
    expect(read(".ci/run")).toMatch(/^npm test$/m);
    expect(fs.statSync(path.join(root, ".ci/run")).mode & 0o111).not.toBe(0);
  });

  it.each(["bug", "idea"])("has a template %s that is valid", (name) => {
    const { body } = parse(read(`.github/ISSUE_TEMPLATE/${name}.yml`));
    for (const { type, attributes } of body) {
      expect(type).toMatch(/^(markdown|textarea|input)$/);
      expect(attributes.label ?? attributes.value).toBeTruthy();
    }
  });
});
