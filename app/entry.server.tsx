import { text } from "node:stream/consumers";
import type { ReadableStream } from "node:stream/web";
import type { EntryContext, HandleDataRequestFunction, HandleErrorFunction } from "@remix-run/node";
import { RemixServer } from "@remix-run/react";
import { renderToString } from "react-dom/server";
import { boot } from "~/boot.server";
import { NonceContext } from "~/features/site/document-head";
import { errorReference, logUnexpected } from "~/platform/errors.server";
import { renderedResponse } from "~/platform/node/page-cache.server";
import { contentSecurityPolicy } from "~/platform/node/security-headers.server";
import { createScriptNonce, hashScripts } from "~/platform/script-hashes.server";
import { ErrorReferenceContext } from "~/ui/feedback/error-page";

await boot();

/**
 * The timeout for deferred loader data in milliseconds. No page defers data, but Remix keeps each request, its response
 * and their data in memory for this long (4,950 by default). On a busy site, that would be hundreds of requests at any
 * given time.
 */
export const streamTimeout = 1_000;

export const handleError: HandleErrorFunction = (error, { request }) => {
  logUnexpected(error, request);
};

/** Renders a page completely before the first byte is sent, so that its status is always correct. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
): Promise<Response> {
  const nonce = createScriptNonce();
  const { html, sources } = hashScripts(await render(request, remixContext, nonce), nonce);
  headers.set("Content-Type", "text/html; charset=utf-8");
  setRetryAfter(status, headers);
  headers.set("Content-Security-Policy", contentSecurityPolicy(sources));
  return renderedResponse(status, headers, html);
}

/** Adds Retry-After to a 503 response, because whatever causes a 503 lasts only a few seconds (RFC 9110 §10.2.3). */
function setRetryAfter(status: number, headers: Headers): void {
  if (status === 503 && !headers.has("Retry-After")) headers.set("Retry-After", "5");
}

/** Handles a data request, which an open page sends to navigate or revalidate. */
export const handleDataRequest: HandleDataRequestFunction = async (response, { request }) => {
  setRetryAfter(response.status, response.headers);
  if (request.method !== "GET" || !response.body || response.status !== 200) return response;
  return renderedResponse(response.status, response.headers, await response.text());
};

/**
 * Renders a page as a string, because the status and script hashes must be known before the first byte, and because
 * React's stream would encode thousands of small chunks. The data for the browser is already complete. Instead of being
 * streamed, it is appended to the page in the format of Remix's `StreamTransfer`.
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

/**
 * Keeps only the page's routes in the manifest, because otherwise Remix would create every route each time it renders a
 * page.
 */
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
