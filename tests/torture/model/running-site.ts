import { execFileSync } from "node:child_process";
import { PUBLIC_CHANGE } from "../../../db/catalogue-version";
import { sendRequest, signInTo } from "../../site-client";
import { ADMIN, SiteProcess } from "../../site-process";
import { UNCACHED_COOKIE } from "../../uncached-cookie";
import { type Outcome, ROLES, type Role } from "./reference";
import { expectSame } from "./step";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

export const PUBLIC_URL = "http://site.example";

/** The fields of a form. Each value in a list is sent as a separate field. */
export type Fields = Record<string, string | readonly string[]>;

/** A running site with an account for each role. Sends requests to the site as a browser would. */
export class RunningSite {
  readonly process: SiteProcess;
  private requests = 0;
  private cookies = {} as Record<Role, string>;
  /** Whether the `sqlite3` shell is installed. If so, it makes the changes that simulate another process. */
  private readonly hasShell = canRun("sqlite3");

  constructor(environment: Record<string, string> = {}) {
    this.process = new SiteProcess({ PUBLIC_URL, ...environment });
  }

  async start(): Promise<void> {
    await this.process.start();
    await this.addAccounts();
  }

  protected async addAccounts(): Promise<void> {
    // The first account's password hash is reused, because hashing is slow.
    this.process.database().exec(
      `INSERT INTO users (id, email, password_hash, role, may_publish)
       SELECT value, value || '@example.com', password_hash, replace(value, 'publisher', 'uploader'), value = 'publisher'
       FROM users, json_each('["editor", "publisher", "uploader"]')`,
    );
    for (const role of ROLES) await this.signIn(role);
  }

  /** Signs in as a role. All later requests from the role use this session. */
  async signIn(role: Role): Promise<void> {
    const email = role === "owner" ? ADMIN.email : `${role}@example.com`;
    this.cookies[role] = await signInTo(this.process, { ...ADMIN, email });
  }

  /** Deletes all videos and series, which is much faster than starting a new site. */
  clear(): void {
    const tables = ["videos", "deleted_videos", "series", "series_slugs", "series_videos"];
    this.process.database().exec(
      `BEGIN; ${tables.map((table) => `DELETE FROM ${table};`).join(" ")}
       UPDATE catalogue_version SET catalogue = catalogue + ${PUBLIC_CHANGE}; COMMIT`,
    );
  }

  remove(): Promise<void> {
    return this.process.remove();
  }

  /** Returns the `uploaded_by` value of a role's videos. */
  idOf(role: Role): string {
    const sql = "SELECT id FROM users WHERE email = ?";
    return role === "owner"
      ? (this.process.database().prepare(sql).pluck().get(ADMIN.email) as string)
      : role;
  }

  /** Executes statements as another process would. */
  write(sql: string): void {
    if (!this.hasShell) this.process.database().exec(sql);
    else {
      const input = `.timeout 5000\n${sql}\n`;
      execFileSync("sqlite3", ["-bail", this.process.databasePath], { input });
    }
  }

  /**
   * Requests a page as a role or a visitor. Requests with one of the site's cookies aren't served from the page cache.
   */
  async read(path: string, role?: Role | "with a cookie") {
    const cookie = role === "with a cookie" ? UNCACHED_COOKIE : role && this.cookies[role];
    const headers = { ...this.newClientHeaders(), ...(cookie && { Cookie: cookie }) };
    const { status, body } = await sendRequest(this.process, "GET", path, headers);
    return { status, body, main: body.slice(Math.max(0, body.indexOf("<main"))) };
  }

  /** Returns headers with a new IP address for each request, so that no rate limit is reached. */
  protected newClientHeaders(): Record<string, string> {
    this.requests += 1;
    const [high, middle, low] = [16, 8, 0].map((bits) => (this.requests >> bits) & 255);
    return { Origin: PUBLIC_URL, "X-Forwarded-For": `10.${high}.${middle}.${low}` };
  }

  /**
   * Sends a form.
   *
   * @param sender the role, or undefined for a visitor.
   */
  async send(
    sender: Role | undefined,
    path: string,
    fields: Fields,
    more: Record<string, string> = {},
  ) {
    const body = new URLSearchParams();
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) body.append(name, value);
    }
    const headers = { ...FORM, ...this.newClientHeaders(), ...this.cookieOf(sender), ...more };
    return sendRequest(this.process, "POST", path, headers, body.toString());
  }

  protected cookieOf(sender: Role | undefined): Record<string, string> {
    return sender ? { Cookie: this.cookies[sender] } : {};
  }
}

/**
 * Sends a form in the studio, and compares the result with the model. Returns the URL that the response redirects to.
 */
export async function submitForm(
  site: RunningSite,
  sender: Role,
  path: string,
  fields: Fields,
  outcome: Outcome,
): Promise<string | undefined> {
  const { status, headers, body } = await site.send(sender, path, fields);
  const message = /role="alert"[^>]*>(.{0,300})/s.exec(body)?.[1] ?? "";
  expectSame(
    `${sender} sends ${JSON.stringify(fields)} (${message})`,
    status,
    outcome === "done" ? 302 : outcome,
  );
  return headers.location;
}

function canRun(command: string): boolean {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Returns the distinct captures of a pattern, in order. */
export function captures(html: string, pattern: RegExp): string[] {
  return [...new Set([...html.matchAll(pattern)].map((match) => match[1]!))];
}

/** Returns the IDs of the videos that a list links to. */
export const linkedIds = (html: string) => captures(html, /href="(?:[^"]*)\/video\/([\w-]+)[?"]/g);

/** Returns the IDs of the selectable rows in the studio. */
export const selectableIds = (html: string) =>
  captures(html, /<input[^>]*name="selected"[^>]*value="([^"]*)"/g);
