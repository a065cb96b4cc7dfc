import { data, redirect } from "@remix-run/node";
import type { Failure } from "./failure";
import { retryAfter } from "./retry-after.server";
import { readSignedCookie, removedCookie, signedCookie } from "./signed-cookie.server";

/**
 * A short message that is shown on the next page. A toast of kind "error" has the title "Error". Unlike toasts from
 * common libraries, ours are rendered on the server, because forms must also work without JavaScript.
 */
export type Toast = {
  title: string;
  description?: string;
  kind: "success" | "error";
  /** A form in the toast, for example to undo something. */
  action?: { label: string; to: string; fields: Record<string, string> };
};

const COOKIE = "toast";
/**
 * How long a toast is kept, which is long enough for the redirect. A toast that hasn't been shown by then is outdated.
 */
const TOAST_MAX_AGE_MS = 60_000;
const MAX_DESCRIPTION_LENGTH = 500;

/** Returns a redirect to a page that shows the toast once, with or without JavaScript. */
export function redirectWithToast(to: string, toast: Toast, init: ResponseInit = {}): Response {
  const headers = new Headers(init.headers);
  const short = { ...toast, description: toast.description?.slice(0, MAX_DESCRIPTION_LENGTH) };
  const value = JSON.stringify(short);
  headers.append("Set-Cookie", signedCookie(COOKIE, value, Date.now() + TOAST_MAX_AGE_MS));
  return redirect(to, { ...init, headers });
}

/**
 * Returns a form's failure for its page (`useFormResponse`).
 *
 * @throws a redirect with the toast if the form succeeded.
 */
export function respondToForm<F extends Failure>(to: string, answer: F | Toast) {
  if (!("status" in answer)) throw redirectWithToast(to, answer);
  const { status, retryAfterSeconds } = answer;
  return data({ error: answer }, { status, headers: retryAfter(retryAfterSeconds) });
}

/** Returns the toast for this request and the headers that remove it. Called by the root loader. */
export async function readToast(request: Request): Promise<{ toast?: Toast; headers: Headers }> {
  const headers = new Headers();
  const value = readSignedCookie(request, COOKIE);
  if (value === undefined) return { headers };
  headers.append("Set-Cookie", removedCookie(COOKIE));
  return { toast: JSON.parse(value) as Toast, headers };
}
