import http from "node:http";
import { setTimeout } from "node:timers/promises";
import { ADMIN, type SiteProcess } from "./site-process";
/** Low-level HTTP requests to a running site, including requests that no browser would send. */

export interface SiteResponse {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

export interface OpenRequest {
  request: http.ClientRequest;
  /** Writes a chunk and waits until it is flushed to the connection. */
  send(chunk: Buffer | string): Promise<void>;
  response: Promise<SiteResponse>;
}

/** Opens a request whose body is sent in chunks. */
export function openRequest(
  site: SiteProcess,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): OpenRequest {
  const request = http.request(new URL(path, site.url), {
    method,
    headers: { Origin: site.url, ...headers },
    agent: false,
  });
  const complete = new Promise<SiteResponse>((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      const finish = () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        });
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", finish);
      response.on("error", finish);
    });
  });
  complete.catch(() => {});
  const send = (chunk: Buffer | string) =>
    new Promise<void>((resolve, reject) => {
      request.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  return { request, send, response: complete };
}

/** Sends a complete request. Returns the complete response. */
export function sendRequest(
  site: SiteProcess,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: Buffer | string,
): Promise<SiteResponse> {
  const { request, response } = openRequest(site, method, path, headers);
  request.end(body);
  return response;
}

/**
 * Signs in and returns the Cookie header. Retries after a second, because an address may sign in only five times per
 * second.
 */
export async function signInTo(site: SiteProcess, account = ADMIN): Promise<string> {
  const body = new URLSearchParams(account).toString();
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const send = () => sendRequest(site, "POST", "/auth", headers, body);
  let response = await send();
  if (response.status === 429) {
    await setTimeout(1_000);
    response = await send();
  }
  const cookies = (response.headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0]);
  const session = cookies.find((cookie) => cookie?.startsWith("session="));
  if (!session) throw new Error(`Couldn't sign in: ${response.status} ${response.body}`);
  return session;
}

export const BOUNDARY = "----a-boundary";

/** Returns the parts of a multipart body before and after its only file. */
export function multipartParts(texts: Record<string, string>, field = "video") {
  const fields = Object.entries(texts).map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="clip.mp4"\r\nContent-Type: video/mp4\r\n\r\n`;
  return { before: fields.join("") + head, after: `\r\n--${BOUNDARY}--\r\n` };
}

export const MULTIPART = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` };
