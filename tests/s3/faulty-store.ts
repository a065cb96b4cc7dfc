import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { startS3Server } from "./object-stores";

/** What a store does with a request instead of what it is asked for. */
export interface Fault {
  /** Of which requests, by "METHOD path?query", with the range that is asked for: "GET /a bytes=0-9". */
  when: RegExp;
  /**
   * A status with the code of S3 for it; no answer; no answer until `release`; or the end of the connection,
   * for GET in the middle.
   */
  answer: { status: number; code: string; type?: string } | "silence" | "hold" | "cut";
  /** How often; without it always. */
  times?: number;
}

/** A real store with a proxy before it, which fails when it is told to. */
export async function startFaultyStore() {
  const server = await startS3Server();
  const url = new URL(server.environment.STORAGE_URL);
  const real = new URL(url.searchParams.get("endpoint")!);
  const requests: string[] = [];
  let fault: Fault | undefined;
  const open = new Map<http.ServerResponse, string>();
  let held: (() => void)[] = [];

  const proxy = http.createServer((request, response) => {
    const line = [request.method, request.url, request.headers.range].filter(Boolean).join(" ");
    requests.push(line);
    open.set(response, line);
    response.once("close", () => open.delete(response));
    const isFaulty = fault?.when.test(line) && (fault.times ?? 1) > 0;
    if (fault?.times !== undefined && isFaulty) fault.times -= 1;
    const { answer } = (isFaulty && fault) || {};
    if (answer === "silence") return void request.resume();
    if (answer === "cut" && request.method !== "GET") return void request.socket.destroy();
    if (typeof answer === "object") {
      const { status, code, type = "application/xml" } = answer;
      request.resume();
      response.writeHead(status, { "Content-Type": type });
      return response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
    }
    const pass = () => {
      if (response.destroyed) return;
      const { method, url: path, headers } = request;
      const passed = http.request(real, { method, path, headers, agent: false }, (found) => {
        for (const [name, value] of Object.entries(found.headers)) response.setHeader(name, value!);
        response.writeHead(found.statusCode!);
        // Swift sends a body after the headers that answer HEAD, which is an error on the connection.
        if (method === "HEAD") {
          response.end();
          return void found.destroy();
        }
        if (answer !== "cut") return found.pipe(response);
        found.once("data", (begin: Buffer) => {
          found.destroy();
          response.write(begin, () => response.destroy());
        });
      });
      passed.on("error", () => response.writableEnded || response.destroy());
      request.pipe(passed);
    };
    if (answer === "hold") held.push(pass);
    else pass();
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  url.searchParams.set("endpoint", `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  return {
    environment: { ...server.environment, STORAGE_URL: url.href },
    /** Those that match, since the last fault was set. */
    sent: (of: RegExp) => requests.filter((line) => of.test(line)).length,
    fail(next?: Fault) {
      requests.length = 0;
      fault = next;
    },
    /** How many of those that match are being answered, or wait for their answer. */
    open: (of: RegExp) => [...open.values()].filter((line) => of.test(line)).length,
    /** Answers the requests that were held. */
    release() {
      fault = undefined;
      for (const pass of held) pass();
      held = [];
    },
    async stop() {
      proxy.close();
      proxy.closeAllConnections();
      await server.stop();
    },
  };
}
