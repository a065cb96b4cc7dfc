import http from "node:http";
import { setTimeout } from "node:timers/promises";
import { ADMIN, type SiteProcess } from "./site-process";
/** Requests to a running site as they go over the wire, for what no browser would send. */

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

export interface OpenRequest {
  request: http.ClientRequest;
  /** Writes, and waits until the connection has taken it. */
  send(chunk: Buffer | string): Promise<void>;
  answer: Promise<Answer>;
}

/** Begins a request whose body is sent bit by bit. */
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
  const answer = new Promise<Answer>((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      const told = () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        });
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", told);
      response.on("error", told);
    });
  });
  answer.catch(() => {});
  const send = (chunk: Buffer | string) =>
    new Promise<void>((resolve, reject) => {
      request.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  return { request, send, answer };
}

/** A whole request. */
export function ask(
  site: SiteProcess,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: Buffer | string,
): Promise<Answer> {
  const { request, answer } = openRequest(site, method, path, headers);
  request.end(body);
  return answer;
}

/** Signs in and returns the Cookie header. An address may try five times in a second, then it waits. */
export async function signInTo(site: SiteProcess, account = ADMIN): Promise<string> {
  const body = new URLSearchParams(account).toString();
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const send = () => ask(site, "POST", "/auth", headers, body);
  let answer = await send();
  if (answer.status === 429) {
    await setTimeout(1_000);
    answer = await send();
  }
  const cookies = (answer.headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0]);
  const session = cookies.find((cookie) => cookie?.startsWith("session="));
  if (!session) throw new Error(`Could not sign in: ${answer.status} ${answer.body}`);
  return session;
}

export const BOUNDARY = "----a-boundary";

/** The bytes of a multipart body before, around and after one file. */
export function multipartParts(texts: Record<string, string>, field = "video") {
  const fields = Object.entries(texts).map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="clip.mp4"\r\nContent-Type: video/mp4\r\n\r\n`;
  return { before: fields.join("") + head, after: `\r\n--${BOUNDARY}--\r\n` };
}

export const MULTIPART = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` };
