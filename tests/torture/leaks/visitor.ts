import http from "node:http";
import net from "node:net";
import type { SiteProcess } from "../../site-process";
import { createRandom, type Random } from "../random";
import { type Marks, marksOf, newMark } from "./marks";

/** The IP address of the visitor's connections: a loopback address that nothing else uses. */
export const LOOPBACK = "127.0.0.77";
const RESPONSE_TIMEOUT_MS = 20_000;
/** The site responds to malformed requests either immediately or not at all. */
const RAW_TIMEOUT_MS = 1_000;

/** A visitor with markers in everything that a browser sends. */
export interface Visitor {
  site: SiteProcess;
  random: Random;
  marks: Marks;
  /** Returns a marker by name. */
  mark(name: string): string;
  headers: Record<string, string>;
  /** The number of responses by status. Status 0 means that there was no response. */
  statuses: Map<number, number>;
}

const MARK_NAMES =
  "agent search referrer cookie form body tag path query header file token report".split(" ");

export function newVisitor(site: SiteProcess, seed: string): Visitor {
  const random = createRandom(seed);
  const words = new Map(MARK_NAMES.map((name) => [name, newMark(random)]));
  const group = () => (0x1000 + random.below(0xefff)).toString(16);
  const network = `2001:db8:${group()}:${group()}`;
  const address = `${network}:${group()}:${group()}:${group()}:${group()}`;
  const marks = marksOf(
    new Map([...words, ["address", address], ["network", network], ["loopback", LOOPBACK]]),
  );
  const mark = (name: string) => words.get(name)!;
  const cookies = ["session", "age", "toast", "report", "code", "challenge", "other"];
  const headers = {
    "User-Agent": `Mozilla/5.0 (X11) ${mark("agent")}/1.0`,
    Referer: `https://elsewhere.example/${mark("referrer")}?q=${mark("referrer")}`,
    Cookie: cookies.map((name) => `${name}=${mark("cookie")}.${name}`).join("; "),
    "Accept-Language": `en, ${mark("header")};q=0.1`,
    "X-Forwarded-For": address,
    "X-Real-IP": address,
    Forwarded: `for="[${address}]"`,
    "X-Request-Id": mark("header"),
    Origin: site.url,
  };
  return { site, random, marks, mark, headers, statuses: new Map() };
}

export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** When the client disconnects: after sending the request, or after receiving the headers or a part of the body. */
  disconnectAt?: "sent" | "head" | "body";
}

/** Sends a request as the visitor. Returns the status, or 0 if there was no response. */
export function visit(
  visitor: Visitor,
  path: string,
  options: RequestOptions = {},
): Promise<number> {
  const { site, statuses } = visitor;
  const { hostname, port } = new URL(site.url);
  const headers = { ...visitor.headers, ...options.headers };
  // An event stream never ends.
  const disconnectAt = options.disconnectAt ?? (path.startsWith("/events") ? "body" : undefined);
  return new Promise<number>((resolve) => {
    const settle = (status: number) => {
      request.destroy();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      resolve(status);
    };
    const request = http.request({
      ...{ hostname, port, path, headers, localAddress: LOOPBACK, agent: false },
      method: options.method ?? "GET",
      timeout: RESPONSE_TIMEOUT_MS,
    });
    request.on("error", () => settle(0));
    request.on("timeout", () => settle(0));
    request.on("response", (response) => {
      const status = response.statusCode ?? 0;
      if (disconnectAt === "head") return settle(status);
      response.on("data", () => disconnectAt === "body" && settle(status));
      response.on("end", () => settle(status));
      response.on("error", () => settle(status));
    });
    if (disconnectAt === "sent") request.end(options.body, () => settle(0));
    else request.end(options.body);
  });
}

/** Sends raw bytes from the visitor's IP address, and waits until the connection is closed. */
export async function visitRaw({ site, statuses }: Visitor, text: string): Promise<void> {
  const { hostname, port } = new URL(site.url);
  const socket = net.connect({ host: hostname, port: Number(port), localAddress: LOOPBACK });
  socket.setTimeout(RAW_TIMEOUT_MS, () => socket.destroy());
  socket.end(text, "latin1");
  const response = await socket.toArray().catch(() => []);
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(response).toString("latin1"))?.[1]);
  statuses.set(status || 0, (statuses.get(status || 0) ?? 0) + 1);
}
