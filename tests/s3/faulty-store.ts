import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { startS3Server } from "./object-stores";

/** A fault that the store simulates. */
export interface Fault {
  /** Matches the requests that fail, written as "METHOD path?query range", such as "GET /a bytes=0-9". */
  when: RegExp;
  /**
   * A status with an S3 error code, no response, a response that is held until `release` is called, or a connection
   * that is closed (for GET, in the middle of the body).
   */
  response: { status: number; code: string; type?: string } | "none" | "hold" | "disconnect";
  /** The number of matching requests that fail. The default is all of them. */
  times?: number;
}

/** Starts a real store behind a proxy that can simulate faults. */
export async function startFaultyStore() {
  const server = await startS3Server();
  const url = new URL(server.environment.STORAGE_URL);
  const real = new URL(url.searchParams.get("endpoint")!);
  const requests: string[] = [];
  let fault: Fault | undefined;
  const open = new Map<http.ServerResponse, string>();
  let heldRequests: (() => void)[] = [];

  const proxy = http.createServer((request, response) => {
    const line = [request.method, request.url, request.headers.range].filter(Boolean).join(" ");
    requests.push(line);
    open.set(response, line);
    response.once("close", () => open.delete(response));
    const isFaulty = fault?.when.test(line) && (fault.times ?? 1) > 0;
    if (fault?.times !== undefined && isFaulty) fault.times -= 1;
    const { response: faulty } = (isFaulty && fault) || {};
    if (faulty === "none") return void request.resume();
    if (faulty === "disconnect" && request.method !== "GET") return void request.socket.destroy();
    if (typeof faulty === "object") {
      const { status, code, type = "application/xml" } = faulty;
      request.resume();
      response.writeHead(status, { "Content-Type": type });
      return response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
    }
    const forward = () => {
      if (response.destroyed) return;
      const { method, url: path, headers } = request;
      const forwarded = http.request(real, { method, path, headers, agent: false }, (received) => {
        for (const [name, value] of Object.entries(received.headers))
          response.setHeader(name, value!);
        response.writeHead(received.statusCode!);
        // Swift sends a body with its responses to HEAD requests, which causes an error on the connection.
        if (method === "HEAD") {
          response.end();
          return void received.destroy();
        }
        if (faulty !== "disconnect") return received.pipe(response);
        received.once("data", (chunk: Buffer) => {
          received.destroy();
          response.write(chunk, () => response.destroy());
        });
      });
      forwarded.on("error", () => response.writableEnded || response.destroy());
      request.pipe(forwarded);
    };
    if (faulty === "hold") heldRequests.push(forward);
    else forward();
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  url.searchParams.set("endpoint", `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  return {
    environment: { ...server.environment, STORAGE_URL: url.href },
    /** Returns the number of matching requests since the last fault was set. */
    sent: (pattern: RegExp) => requests.filter((line) => pattern.test(line)).length,
    /** Sets or clears a fault. */
    fail(next?: Fault) {
      requests.length = 0;
      fault = next;
    },
    /** Returns the number of matching requests without a complete response. */
    open: (pattern: RegExp) => [...open.values()].filter((line) => pattern.test(line)).length,
    /** Clears the fault, and forwards the held requests. */
    release() {
      fault = undefined;
      for (const forward of heldRequests) forward();
      heldRequests = [];
    },
    async stop() {
      proxy.close();
      proxy.closeAllConnections();
      await server.stop();
    },
  };
}
