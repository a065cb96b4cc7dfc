import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import type { FormFailure } from "~/features/library/managed-video";
import { action, loader } from "~/features/library/routes/admin";
import { openSession } from "~/features/permissions/session.server";
import { prepared, sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "./temporary-site";

/** Requests to the loader and action of the admin panel, all sent by the same signed-in admin. */

const ORIGIN = "http://localhost";
let cookie = "";

type Columns = Record<string, string | number | null>;
/** For an array, the field is sent once for each item. */
type Fields = Record<string, string | string[]>;

/** Creates the account for this test's site and signs in with it. */
export async function signInAdmin(): Promise<void> {
  sqliteHandle().exec("INSERT INTO users (id, email, password_hash) VALUES ('u', 'a@b.c', 'x')");
  cookie = (await openSession("u")).split(";")[0] ?? "";
}

/** Before each test in the file, creates a new site and signs in with that account. */
export function useAdminSite(settings?: Record<string, string>) {
  let site: ReturnType<typeof useTemporarySite>;
  beforeEach(async () => {
    site = useTemporarySite(settings);
    await signInAdmin();
  });
  afterEach(() => site.remove());
  return {
    get uploads() {
      return site.uploads;
    },
    get folder() {
      return site.folder;
    },
    copyDatabase: () => site.copyDatabase(),
  };
}

/** Returns the Cookie header for that admin's requests. */
export function adminCookie(): string {
  return cookie;
}

export function addVideo(columns: Columns = {}): void {
  const row = { id: "v", title: "A video", category: "desi", ...columns };
  const names = Object.keys(row);
  // The statement is prepared only once, because each prepared statement, including its triggers, takes up 0.3 MB until
  // it is garbage-collected.
  prepared(`INSERT INTO videos (${names}) VALUES (${names.map((name) => `@${name}`)})`).run(row);
}

export function video(id = "v"): Record<string, unknown> | undefined {
  return sqliteHandle().prepare("SELECT * FROM videos WHERE id = ?").get(id) as
    | Record<string, unknown>
    | undefined;
}

/** Writes a file of 5 bytes to the uploads folder. Returns its path. */
export function writeUpload(uploads: string, name: string): string {
  const file = path.join(uploads, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, "bytes");
  return file;
}

/** Returns the response that `work` throws or returns. */
export async function catchResponse(work: () => Promise<unknown>): Promise<Response> {
  const response = await work().catch((thrown: unknown) => thrown);
  expect(response).toBeInstanceOf(Response);
  return response as Response;
}

export function get(address: string, headers: Record<string, string> = { Cookie: cookie }) {
  const request = new Request(ORIGIN + address, { headers });
  return loader({ request, params: {}, context: {} });
}

export function send(
  fields: Fields,
  { address = "/admin?tab=manage", headers = {} as Record<string, string> } = {},
) {
  const body = new URLSearchParams();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) body.append(name, value);
  }
  const request = new Request(ORIGIN + address, {
    method: "POST",
    body,
    headers: { Cookie: cookie, Origin: ORIGIN, Host: "localhost", ...headers },
  });
  return action({ request, params: {}, context: {} });
}

/** Sends a form that includes a file. */
export function sendMultipart(body: FormData, address: string) {
  const request = new Request(ORIGIN + address, {
    method: "POST",
    body,
    headers: { Cookie: cookie, Origin: ORIGIN, Host: "localhost" },
  });
  return action({ request, params: {}, context: {} });
}

/** Sends a form that must succeed. Returns the redirect's target and its toast. */
export function expectSuccess(fields: Fields, address?: string) {
  return expectSuccessOf(() => send(fields, { address }));
}

/** Returns the target and the toast of the redirect that `work` throws or returns. */
export async function expectSuccessOf(work: () => Promise<unknown>) {
  const response = await catchResponse(work);
  expect(response.status).toBe(302);
  const value = decodeURIComponent(response.headers.get("Set-Cookie")?.split(/[=;]/)[1] ?? "");
  const toast = JSON.parse(Buffer.from(value.split(".")[0] ?? "", "base64url").toString());
  return { location: response.headers.get("Location"), toast };
}

/** Sends a form whose response is the page itself. Returns the page's status and data. */
export async function sendForResult(fields: Fields, address?: string) {
  const result = (await send(fields, { address })) as unknown as {
    data: Record<string, unknown>;
    init: { status: number };
  };
  return { status: result.init.status, ...result.data };
}

/** Sends a form that must be rejected. Returns the error that the page shows. */
export async function expectFailure(fields: Fields, address?: string): Promise<FormFailure> {
  const { status, studio } = (await sendForResult(fields, address)) as {
    status: number;
    studio: FormFailure;
  };
  expect(status).toBe(studio.status);
  return studio;
}

/** Returns the loader's data and status. */
export async function page(address: string) {
  const result = await get(address);
  return "data" in result
    ? { ...result.data, status: result.init?.status }
    : { ...result, status: 200 };
}
