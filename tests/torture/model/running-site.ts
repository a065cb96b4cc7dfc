import { execFileSync } from "node:child_process";
import { PUBLIC_CHANGE } from "../../../db/catalogue-version";
import { ask, signInTo } from "../../site-client";
import { ADMIN, SiteProcess } from "../../site-process";
import { UNCACHED_COOKIE } from "../../uncached-cookie";
import { type Outcome, ROLES, type Role } from "./reference";
import { expectSame } from "./step";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

export const PUBLIC_URL = "http://site.example";

/** What a form is filled with; several values of one name are one field each. */
export type Fields = Record<string, string | readonly string[]>;

/** A site of its own with an account of each role, asked as browsers ask it. */
export class RunningSite {
  readonly process: SiteProcess;
  private requests = 0;
  private cookies = {} as Record<Role, string>;
  /** Changes of other programs by the plain shell, where there is one. */
  private readonly hasShell = canRun("sqlite3");

  constructor(environment: Record<string, string> = {}) {
    this.process = new SiteProcess({ PUBLIC_URL, ...environment });
  }

  async start(): Promise<void> {
    await this.process.start();
    await this.enterAccounts();
  }

  protected async enterAccounts(): Promise<void> {
    // The password of the first account, so that no other has to be hashed.
    this.process.database().exec(
      `INSERT INTO users (id, email, password_hash, role, may_publish)
       SELECT value, value || '@example.com', password_hash, replace(value, 'publisher', 'uploader'), value = 'publisher'
       FROM users, json_each('["editor", "publisher", "uploader"]')`,
    );
    for (const role of ROLES) await this.signIn(role);
  }

  /** Opens a session, which the role's requests are made in from now on. */
  async signIn(role: Role): Promise<void> {
    const email = role === "owner" ? ADMIN.email : `${role}@example.com`;
    this.cookies[role] = await signInTo(this.process, { ...ADMIN, email });
  }

  /** Without videos and series, as it began: much sooner than a new one would be there. */
  empty(): void {
    const tables = ["videos", "deleted_videos", "series", "series_slugs", "series_videos"];
    this.process.database().exec(
      `BEGIN; ${tables.map((table) => `DELETE FROM ${table};`).join(" ")}
       UPDATE catalogue_version SET catalogue = catalogue + ${PUBLIC_CHANGE}; COMMIT`,
    );
  }

  remove(): Promise<void> {
    return this.process.remove();
  }

  /** The `uploaded_by` of a role's rows. */
  idOf(role: Role): string {
    const sql = "SELECT id FROM users WHERE email = ?";
    return role === "owner"
      ? (this.process.database().prepare(sql).pluck().get(ADMIN.email) as string)
      : role;
  }

  /** Statements of another program. */
  write(sql: string): void {
    if (!this.hasShell) this.process.database().exec(sql);
    else {
      const input = `.timeout 5000\n${sql}\n`;
      execFileSync("sqlite3", ["-bail", this.process.databasePath], { input });
    }
  }

  /** A page, as a role sees it, or a visitor; with a cookie of the site it is not from the cache. */
  async read(path: string, role?: Role | "with a cookie") {
    const cookie = role === "with a cookie" ? UNCACHED_COOKIE : role && this.cookies[role];
    const headers = { ...this.someone(), ...(cookie && { Cookie: cookie }) };
    const { status, body } = await ask(this.process, "GET", path, headers);
    return { status, body, main: body.slice(Math.max(0, body.indexOf("<main"))) };
  }

  /** Every request comes from another address, so that no limit by address is met. */
  protected someone(): Record<string, string> {
    this.requests += 1;
    const [high, middle, low] = [16, 8, 0].map((bits) => (this.requests >> bits) & 255);
    return { Origin: PUBLIC_URL, "X-Forwarded-For": `10.${high}.${middle}.${low}` };
  }

  /**
   * Sends a form.
   *
   * @param sender without one, a visitor's.
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
    const headers = { ...FORM, ...this.someone(), ...this.cookieOf(sender), ...more };
    return ask(this.process, "POST", path, headers, body.toString());
  }

  protected cookieOf(sender: Role | undefined): Record<string, string> {
    return sender ? { Cookie: this.cookies[sender] } : {};
  }
}

/** A form of the studio has to end as the model says. */
export async function sent(
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

function canRun(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Each first occurrence of what a pattern captures, in order. */
export function captured(html: string, pattern: RegExp): string[] {
  return [...new Set([...html.matchAll(pattern)].map((match) => match[1]!))];
}

/** The videos that a list links to. */
export const linked = (html: string) => captured(html, /href="(?:[^"]*)\/video\/([\w-]+)[?"]/g);

/** The rows of the studio that can be selected. */
export const selectable = (html: string) =>
  captured(html, /<input[^>]*name="selected"[^>]*value="([^"]*)"/g);
