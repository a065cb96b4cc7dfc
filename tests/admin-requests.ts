import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import type { FormFailure } from "~/features/library/managed-video";
import { action, loader } from "~/features/library/routes/admin";
import { openSession } from "~/features/permissions/session.server";
import { prepared, sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "./temporary-site";

/** The admin panel through its loader and action, as one signed-in admin's requests. */

const ORIGIN = "http://localhost";
let cookie = "";

type Columns = Record<string, string | number | null>;
/** Several values of one name are one field each. */
type Fields = Record<string, string | string[]>;

/** Makes the account of this test's site and signs it in. */
export async function signInAdmin(): Promise<void> {
  sqliteHandle().exec("INSERT INTO users (id, email, password_hash) VALUES ('u', 'a@b.c', 'x')");
  cookie = (await openSession("u")).split(";")[0] ?? "";
}

/** A new site with that account signed in, for each test of the file. */
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

/** What the browser of that admin sends with each request. */
export function adminCookie(): string {
  return cookie;
}

export function addVideo(columns: Columns = {}): void {
  const row = { id: "v", title: "A video", category: "desi", ...columns };
  const names = Object.keys(row);
  // A statement with all triggers takes a third of a megabyte until garbage collection.
  prepared(`INSERT INTO videos (${names}) VALUES (${names.map((name) => `@${name}`)})`).run(row);
}

export function video(id = "v"): Record<string, unknown> | undefined {
  return sqliteHandle().prepare("SELECT * FROM videos WHERE id = ?").get(id) as
    | Record<string, unknown>
    | undefined;
}

/** Puts a file of 5 bytes below the uploads folder. */
export function writeUpload(uploads: string, name: string): string {
  const file = path.join(uploads, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, "bytes");
  return file;
}

/** The response that the work throws or returns. */
export async function caught(work: () => Promise<unknown>): Promise<Response> {
  const answer = await work().catch((thrown: unknown) => thrown);
  expect(answer).toBeInstanceOf(Response);
  return answer as Response;
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

/** Sends a form that carries a file. */
export function sendMultipart(body: FormData, address: string) {
  const request = new Request(ORIGIN + address, {
    method: "POST",
    body,
    headers: { Cookie: cookie, Origin: ORIGIN, Host: "localhost" },
  });
  return action({ request, params: {}, context: {} });
}

/** Sends a form that is to succeed; where it leads and what the toast says. */
export function succeed(fields: Fields, address?: string) {
  return succeeded(() => send(fields, { address }));
}

/** Where an answer leads, and what its toast says. */
export async function succeeded(work: () => Promise<unknown>) {
  const answer = await caught(work);
  expect(answer.status).toBe(302);
  const value = decodeURIComponent(answer.headers.get("Set-Cookie")?.split(/[=;]/)[1] ?? "");
  const toast = JSON.parse(Buffer.from(value.split(".")[0] ?? "", "base64url").toString());
  return { location: answer.headers.get("Location"), toast };
}

/** Sends a form that is answered with the page; its status and what the page is given. */
export async function answered(fields: Fields, address?: string) {
  const answer = (await send(fields, { address })) as unknown as {
    data: Record<string, unknown>;
    init: { status: number };
  };
  return { status: answer.init.status, ...answer.data };
}

/** Sends a form that is to be refused; what the page is given. */
export async function refused(fields: Fields, address?: string): Promise<FormFailure> {
  const { status, studio } = (await answered(fields, address)) as {
    status: number;
    studio: FormFailure;
  };
  expect(status).toBe(studio.status);
  return studio;
}

/** What the loader gives the page, and its status. */
export async function page(address: string) {
  const answer = await get(address);
  return "data" in answer
    ? { ...answer.data, status: answer.init?.status }
    : { ...answer, status: 200 };
}
