import { data, redirect } from "@remix-run/node";
import type { Failure } from "./failure";
import { retryAfter } from "./retry-after.server";
import { readSignedCookie, removedCookie, signedCookie } from "./signed-cookie.server";

/**
 * A short message over the next page. A toast of kind "error" has the title "Error". It is rendered on the server,
 * unlike the toasts of the usual libraries, because forms also work without JavaScript.
 */
export type Toast = {
  title: string;
  description?: string;
  kind: "success" | "error";
  /** A form in the toast, such as the one that undoes what was done. */
  action?: { label: string; to: string; fields: Record<string, string> };
};

const COOKIE = "toast";
/** Long enough for the redirect that carries it; a toast nobody fetched is not news tomorrow. */
const TOAST_MAX_AGE_MS = 60_000;
const LONGEST_DESCRIPTION = 500;

/** A redirect whose target page shows the toast once, with scripts and without. */
export function redirectWithToast(to: string, toast: Toast, init: ResponseInit = {}): Response {
  const headers = new Headers(init.headers);
  const short = { ...toast, description: toast.description?.slice(0, LONGEST_DESCRIPTION) };
  const value = JSON.stringify(short);
  headers.append("Set-Cookie", signedCookie(COOKIE, value, Date.now() + TOAST_MAX_AGE_MS));
  return redirect(to, { ...init, headers });
}

/** What a form is answered with: its failure for the page (`useFormResponse`), or else a redirect with a toast. */
export function answerForm<F extends Failure>(to: string, answer: F | Toast) {
  if (!("status" in answer)) throw redirectWithToast(to, answer);
  const { status, retryAfterSeconds } = answer;
  return data({ error: answer }, { status, headers: retryAfter(retryAfterSeconds) });
}

/** The toast that waits for this request, with the headers that take it away. For the root loader. */
export async function readToast(request: Request): Promise<{ toast?: Toast; headers: Headers }> {
  const headers = new Headers();
  const value = readSignedCookie(request, COOKIE);
  if (value === undefined) return { headers };
  headers.append("Set-Cookie", removedCookie(COOKIE));
  return { toast: JSON.parse(value) as Toast, headers };
}
