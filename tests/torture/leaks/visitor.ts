import http from "node:http";
import net from "node:net";
import type { SiteProcess } from "../../site-process";
import { createRandom, type Random } from "../random";
import { type Marks, marksOf, newMark } from "./marks";

/** Where the visitor's connections come from: an address of this machine that nothing else uses. */
export const LOOPBACK = "127.0.0.77";
const ANSWERED_WITHIN_MS = 20_000;
/** What can't be understood is answered at once, or never. */
const RAW_WITHIN_MS = 1_000;

/** A visitor who is marked in all that a browser sends. */
export interface Visitor {
  site: SiteProcess;
  random: Random;
  marks: Marks;
  /** By what they mark. */
  mark(name: string): string;
  headers: Record<string, string>;
  /** How often each status was answered; 0 where no answer came. */
  statuses: Map<number, number>;
}

const MARKED =
  "agent search referrer cookie form body tag path query header file token report".split(" ");

export function newVisitor(site: SiteProcess, seed: string): Visitor {
  const random = createRandom(seed);
  const words = new Map(MARKED.map((name) => [name, newMark(random)]));
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

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** The connection is cut when so much of the answer is there: nothing, its head, or a piece of its body. */
  cutAt?: "sent" | "head" | "body";
}

/** Sends a request as the visitor; its status, 0 when none came. */
export function visit(visitor: Visitor, path: string, sent: Sent = {}): Promise<number> {
  const { site, statuses } = visitor;
  const { hostname, port } = new URL(site.url);
  const headers = { ...visitor.headers, ...sent.headers };
  // An event stream has no end.
  const cutAt = sent.cutAt ?? (path.startsWith("/events") ? "body" : undefined);
  return new Promise<number>((resolve) => {
    const told = (status: number) => {
      request.destroy();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      resolve(status);
    };
    const request = http.request({
      ...{ hostname, port, path, headers, localAddress: LOOPBACK, agent: false },
      method: sent.method ?? "GET",
      timeout: ANSWERED_WITHIN_MS,
    });
    request.on("error", () => told(0));
    request.on("timeout", () => told(0));
    request.on("response", (response) => {
      const status = response.statusCode ?? 0;
      if (cutAt === "head") return told(status);
      response.on("data", () => cutAt === "body" && told(status));
      response.on("end", () => told(status));
      response.on("error", () => told(status));
    });
    if (cutAt === "sent") request.end(sent.body, () => told(0));
    else request.end(sent.body);
  });
}

/** Sends bytes that no client would, from the same address, and waits until the connection is closed. */
export async function visitRaw({ site, statuses }: Visitor, text: string): Promise<void> {
  const { hostname, port } = new URL(site.url);
  const socket = net.connect({ host: hostname, port: Number(port), localAddress: LOOPBACK });
  socket.setTimeout(RAW_WITHIN_MS, () => socket.destroy());
  socket.end(text, "latin1");
  const answer = await socket.toArray().catch(() => []);
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(answer).toString("latin1"))?.[1]);
  statuses.set(status || 0, (statuses.get(status || 0) ?? 0) + 1);
}
