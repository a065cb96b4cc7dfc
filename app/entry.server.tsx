import { Writable } from "node:stream";
import type { EntryContext, HandleDataRequestFunction, HandleErrorFunction } from "@remix-run/node";
import { RemixServer } from "@remix-run/react";
import { renderToPipeableStream } from "react-dom/server";
import { boot } from "~/boot.server";
import { errorReference, logUnexpected } from "~/server/errors.server";
import { cacheRendered } from "~/server/node/page-cache-middleware.server";
import { contentSecurityPolicy } from "~/server/node/security-headers.server";
import { hashScripts, newScriptMark } from "~/server/script-hashes.server";
import { ErrorReferenceContext } from "~/ui/page-frame/error-reference";
import { NonceContext } from "~/ui/page-frame/nonce";

await boot();

const RENDER_TIMEOUT_MS = 5_000;
export const streamTimeout = RENDER_TIMEOUT_MS;

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
  const page = await render(request, remixContext, mark);
  const { html, sources } = hashScripts(page.html, mark);
  const finalStatus = page.failed ? 500 : status;
  headers.set("Content-Type", "text/html; charset=utf-8");
  sayWhenToRetry(finalStatus, headers);
  headers.set("Content-Security-Policy", contentSecurityPolicy(sources));
  if (cacheRendered(finalStatus, headers, html)) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(html, { status: finalStatus, headers });
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

function render(request: Request, remixContext: EntryContext, nonce: string) {
  return new Promise<{ html: string; failed: boolean }>((resolve, reject) => {
    let shellIsReady = false;
    let failed = false;
    const { pipe, abort } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <ErrorReferenceContext.Provider value={errorReference()}>
          <RemixServer context={remixContext} url={request.url} nonce={nonce} />
        </ErrorReferenceContext.Provider>
      </NonceContext.Provider>,
      {
        nonce,
        onShellReady() {
          shellIsReady = true;
        },
        onAllReady() {
          clearTimeout(timer);
          pipe(collect((html) => resolve({ html, failed })));
        },
        // Remix reports it, and renders the error page instead.
        onShellError: reject,
        onError(error) {
          failed = true;
          if (shellIsReady) logUnexpected(error, request);
        },
      },
    );
    const timer = setTimeout(abort, RENDER_TIMEOUT_MS + 1_000);
  });
}

function collect(done: (html: string) => void): Writable {
  const chunks: Buffer[] = [];
  return new Writable({
    write(chunk, _, next) {
      chunks.push(chunk);
      next();
    },
    final(next) {
      done(Buffer.concat(chunks).toString());
      next();
    },
  });
}
