import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../free-port";
import { until } from "../process-figures";

/** `npm test` installs nginx. If that fails, it reports which tests were skipped. */
export const isNginxInstalled = spawnSync("nginx", ["-v"]).status === 0;

export interface Nginx {
  url: string;
  /** The port of the server that redirects from HTTP to HTTPS. */
  redirectPort: number;
  process: ChildProcess;
}

/**
 * Runs nginx with a configuration from `docs`, but without TLS, and waits until it responds to `/healthz`.
 * @param changes replacements in the configuration, such as addresses and folders. Each pattern must match.
 * @param identity the user and group that own the folder and run nginx.
 */
export async function startNginx(
  configuration: string,
  folder: string,
  changes: [RegExp, string][],
  identity: { uid?: number; gid?: number } = {},
): Promise<Nginx> {
  const [port, redirectPort] = [await freePort(), await freePort()];
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(" ");
  const all: [RegExp, string][] = [
    [/^pid .*;$/m, `pid ${folder}/nginx.pid; daemon off; master_process off;`],
    [/^http \{$/m, `http { ${temporary}`],
    [/listen 80;/, `listen 127.0.0.1:${redirectPort};`],
    [/listen 443 ssl http2;/, `listen 127.0.0.1:${port};`],
    [/^ *ssl_.*;$/gm, ""],
    ...changes,
  ];
  const source = fileURLToPath(new URL(`../../docs/${configuration}`, import.meta.url));
  const text = all.reduce(
    (text, [from, to]) => {
      if (!new RegExp(from).test(text)) throw new Error(`${configuration} doesn't match ${from}.`);
      return text.replace(from, to);
    },
    fs.readFileSync(source, "utf8"),
  );
  const file = path.join(folder, "nginx.conf");
  fs.writeFileSync(file, text);
  const child = spawn("nginx", ["-c", file, "-p", folder], {
    stdio: ["ignore", "ignore", "inherit"],
    ...identity,
  });
  const url = `http://127.0.0.1:${port}`;
  await until(() =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { url, redirectPort, process: child };
}
