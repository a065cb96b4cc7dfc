import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Network } from "~/features/upload/import/download.server";

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTPS video server on the loopback interface, in a simulated network where its host name is `videos.example`. */
export interface VideoServer {
  port: number;
  network: Network;
  /** The host names that have been resolved. */
  lookedUp: string[];
  address(path: string): string;
  close(): Promise<void>;
}

/**
 * Starts the server. The network has other names as well: `inside.example` resolves to a private address,
 * `both.example` to a private and a public address, and `rebinding.example` to a private address after the first
 * lookup.
 *
 * @param folder the folder for the certificate, which expires after a day.
 */
export async function videoServer(folder: string, handler: RequestHandler): Promise<VideoServer> {
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => path.join(folder, name)) as [
    string,
    string,
  ];
  execFileSync(
    "openssl",
    [
      ..."req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1".split(" "),
      ..."-subj /CN=videos.example -addext".split(" "),
      "subjectAltName=DNS:videos.example,DNS:rebinding.example",
      ...["-keyout", key, "-out", cert],
    ],
    { stdio: "ignore" },
  );
  const ca = fs.readFileSync(cert, "utf8");
  const server = https.createServer({ key: fs.readFileSync(key), cert: ca }, handler);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const lookedUp: string[] = [];
  const here = { address: "127.0.0.1", family: 4 };
  const inside = { address: "10.0.0.7", family: 4 };
  return {
    port,
    lookedUp,
    network: {
      ca,
      isAllowed: (address) => address === here.address,
      async lookup(hostname) {
        lookedUp.push(hostname);
        if (hostname === "inside.example") return [inside];
        if (hostname === "both.example") return [here, inside];
        const lookups = lookedUp.filter((each) => each === hostname).length;
        return [hostname === "rebinding.example" && lookups > 1 ? inside : here];
      },
    },
    address: (name) => `https://videos.example:${port}/${name}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
