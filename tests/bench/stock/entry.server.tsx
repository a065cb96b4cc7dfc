import { PassThrough } from "node:stream";
import {
  createReadableStreamFromReadable,
  type EntryContext,
  type HandleErrorFunction,
} from "@remix-run/node";
import { RemixServer } from "@remix-run/react";
import { renderToPipeableStream } from "react-dom/server";
import { boot } from "~/boot.server";
import { NonceContext } from "~/features/site/document-head";
import { errorReference, logUnexpected } from "~/platform/errors.server";
import { contentSecurityPolicy } from "~/platform/node/security-headers.server";
import { createScriptNonce } from "~/platform/script-hashes.server";
import { ErrorReferenceContext } from "~/ui/feedback/error-page";

await boot();

export const handleError: HandleErrorFunction = (error, { request }) => {
  logUnexpected(error, request);
};

/** Renders as Remix's template does for bots: waits until the page is complete, and then sends React's stream. */
export default function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
): Promise<Response> {
  const nonce = createScriptNonce();
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy", contentSecurityPolicy([`'nonce-${nonce}'`]));
  return new Promise((resolve, reject) => {
    const { pipe } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <ErrorReferenceContext.Provider value={errorReference()}>
          <RemixServer context={remixContext} url={request.url} nonce={nonce} />
        </ErrorReferenceContext.Provider>
      </NonceContext.Provider>,
      {
        nonce,
        onAllReady() {
          const body = new PassThrough();
          resolve(new Response(createReadableStreamFromReadable(body), { status, headers }));
          pipe(body);
        },
        onShellError: reject,
      },
    );
  });
}
