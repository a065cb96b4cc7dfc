import { createHmac } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A sample age-check provider as described in docs/how-to/age-check.md. It has a question page and signs its responses.
 */

export const PROVIDER_SECRET = "a secret that the provider and the site share";

/** Returns a response's token, which is a JWT signed with HS256. */
export function ageToken(
  claims: Record<string, unknown>,
  secret = PROVIDER_SECRET,
  header: Record<string, unknown> = { alg: "HS256", typ: "JWT" },
): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

/** Returns claims about a visitor that are valid for five minutes. */
export function ageClaims(nonce: string, isAdult = true, now = Date.now()) {
  const iat = Math.floor(now / 1000);
  return { nonce, age_over_18: isAdult, iat, exp: iat + 300 };
}

export interface AgeCheckProvider {
  url: string;
  /** The requests that the provider received, with the headers that describe the visitor. */
  requests: { method: string; url: string; headers: http.IncomingHttpHeaders }[];
  close(): Promise<void>;
}

/** Starts the provider on a free local port. */
export async function startAgeCheckProvider(): Promise<AgeCheckProvider> {
  const requests: AgeCheckProvider["requests"] = [];
  const server = http.createServer(({ method = "", url = "", headers }, response) => {
    requests.push({ method, url, headers });
    const { pathname, searchParams } = new URL(url, "http://provider.invalid");
    const nonce = searchParams.get("nonce") ?? "";
    const returnTo = searchParams.get("return_to") ?? "";
    if (pathname === "/answer") {
      const back = new URL(returnTo);
      const claims = ageClaims(nonce, searchParams.get("adult") === "yes");
      if (searchParams.get("adult") !== "leave") back.searchParams.set("token", ageToken(claims));
      response.writeHead(302, { Location: back.href }).end();
      return;
    }
    const link = (adult: string, text: string) =>
      `<a href="/answer?${new URLSearchParams({ nonce, return_to: returnTo, adult }).toString().replaceAll("&", "&amp;")}">${text}</a>`;
    response.writeHead(200, { "Content-Type": "text/html" });
    response.end(
      `<!DOCTYPE html><title>Provider</title><h1>How old are you?</h1>${link("yes", "I am 18 or over")} ${link("no", "I am younger")} ${link("leave", "I would rather not say")}`,
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/check?client=afterdark`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
