import { text } from "node:stream/consumers";
import type { ReadableStream } from "node:stream/web";
import type { EntryContext, HandleDataRequestFunction, HandleErrorFunction } from "@remix-run/node";
import { RemixServer } from "@remix-run/react";
import { renderToString } from "react-dom/server";
import { boot } from "~/boot.server";
import { NonceContext } from "~/features/site/document-head";
import { errorReference, logUnexpected } from "~/platform/errors.server";
import { cacheRendered } from "~/platform/node/page-cache.server";
import { contentSecurityPolicy } from "~/platform/node/security-headers.server";
import { hashScripts, newScriptMark } from "~/platform/script-hashes.server";
import { ErrorReferenceContext } from "~/ui/feedback/error-page";

await boot();

/**
 * Milliseconds after which data that a loader still owes are given up. No page owes any; but the framework holds
 * the request, its answer and its data for so long (4,950 without this), which are hundreds on a busy site.
 */
export const streamTimeout = 1_000;

export const handleError: HandleErrorFunction = (error, { request }) => {
  logUnexpected(error, request);
};

/** A page: rendered whole before its first byte, so that its status is always the true one. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
): Promise<Response> {
  const mark = newScriptMark();
  const { html, sources } = hashScripts(await render(request, remixContext, mark), mark);
  headers.set("Content-Type", "text/html; charset=utf-8");
  sayWhenToRetry(status, headers);
  headers.set("Content-Security-Policy", contentSecurityPolicy(sources));
  if (cacheRendered(status, headers, html)) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(html, { status, headers });
}

/** What is answered with 503 passes in seconds (RFC 9110 §10.2.3). */
function sayWhenToRetry(status: number, headers: Headers): void {
  if (status === 503 && !headers.has("Retry-After")) headers.set("Retry-After", "5");
}

/** The data of a page, asked for by a page that is open already. */
export const handleDataRequest: HandleDataRequestFunction = async (response, { request }) => {
  sayWhenToRetry(response.status, response.headers);
  if (request.method !== "GET" || !response.body || response.status !== 200) return response;
  const { headers, status } = response;
  const text = await response.text();
  const isKnown = cacheRendered(status, headers, text);
  return new Response(isKnown ? null : text, { status: isKnown ? 304 : status, headers });
};

/**
 * As one text, since status and script hashes must be known before the first byte; React's stream would
 * encode thousands of pieces by themselves. What the framework would render as a part of the page while it
 * arrives, the data for the browser, is complete by now: it is written behind the page, as the framework's
 * `StreamTransfer` does.
 */
async function render(
  request: Request,
  remixContext: EntryContext,
  nonce: string,
): Promise<string> {
  const { serverHandoffStream: data, ...context } = ofOwnRoutes(remixContext);
  const scripts = data ? await dataScripts(data as ReadableStream, nonce) : "";
  const page = renderToString(
    <NonceContext.Provider value={nonce}>
      <ErrorReferenceContext.Provider value={errorReference()}>
        <RemixServer context={context} url={request.url} nonce={nonce} />
      </ErrorReferenceContext.Provider>
    </NonceContext.Provider>,
  );
  return `<!DOCTYPE html>${page}${scripts}`;
}

/** The framework makes every route of the list anew for a page; the page itself is made of one or two. */
function ofOwnRoutes(context: EntryContext): EntryContext {
  const { routes } = context.manifest;
  const own = context.staticHandlerContext.matches.flatMap(({ route: { id } }) => {
    const route = routes[id];
    return route ? [[id, route]] : [];
  });
  return { ...context, manifest: { ...context.manifest, routes: Object.fromEntries(own) } };
}

async function dataScripts(data: ReadableStream, nonce: string): Promise<string> {
  const json = JSON.stringify(await text(data)).replace(/[&<>\u2028\u2029]/g, escapeCharacter);
  const controller = "window.__remixContext.streamController";
  return `<script nonce="${nonce}">${controller}.enqueue(${json});${controller}.close();</script>`;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
