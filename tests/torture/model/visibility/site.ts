import { createHash } from "node:crypto";
import path from "node:path";
import type { ReportKind } from "~db/schema/moderation";
import { PUBLIC_CHANGE } from "../../../../db/catalogue-version";
import { sendRequest } from "../../../site-client";
import { ROLES, type Role } from "../reference";
import { PUBLIC_URL, RunningSite } from "../running-site";
import { expectSame } from "../step";
import type { Row, SiteSettings } from "./reference";

const DAY_MS = 86_400_000;
/** With this many videos, the percentage in `UNLIMITED` lets reports hide about 10,000 videos per day. */
const OTHER_VIDEOS = 1_000;
const UNLIMITED = "999999/h,999%/d";
/** The tables that a run writes to, except for the accounts and the moderation log, which only grows. */
const TABLES = [
  ...["videos", "deleted_videos", "video_holds", "video_files", "jobs"],
  ...["reports", "preview_links", "review_notes", "performers", "video_consents", "user_strikes"],
  ...["blocked_videos", "block_list_matches", "series_videos", "series", "series_slugs"],
  ...["api_tokens", "uploader_decisions"],
];
const SCOPES = JSON.stringify(["read", "upload", "edit", "publish", "delete"]);

export const SERIES_SLUG = "all-of-them";
export const TAG = "watched";
/** A word that appears only in the titles of the run's videos. */
export const WORD = "zebra";

const tokenOf = (role: Role) => `afterdark_${role}`;

/** A site without ffmpeg, where uploads take milliseconds and aren't processed. */
export class VisibilitySite extends RunningSite {
  /** Day 0, from which the days of schedules are counted. */
  private readonly dayZero = Date.now();
  private videos = 0;
  private reports = 0;
  private settings: SiteSettings | undefined;

  constructor() {
    super({ PATH: "/nonexistent", STRIKES_BLOCK: "3" });
  }

  /** Starts the site with these settings, unless it is already running with them. */
  async use(settings: SiteSettings): Promise<void> {
    if (JSON.stringify(settings) === JSON.stringify(this.settings)) return;
    const environment = {
      IMPORT_DIR: this.importFolder,
      REQUIRE_CONSENT: settings.requireConsent ? "on" : "off",
      REPORT_HIDE_LIMIT: settings.hidesImmediately ? UNLIMITED : "0/h,0%/d",
    };
    if (this.settings) {
      await this.process.stop();
      await this.process.start(environment);
    } else {
      await this.process.start(environment);
      await this.addAccounts();
      this.addOtherVideos();
    }
    this.settings = settings;
  }

  /** Adds public videos with valid consent records. No step changes these videos. */
  private addOtherVideos(): void {
    this.process.database().exec(
      `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${OTHER_VIDEOS})
       INSERT INTO video_consents (video_id, kind, people, recorded_on, updated_at)
       SELECT 'other-' || n, 'own', 0, '2020-01-01', '2020-01-01T00:00:00.000Z' FROM number;
       INSERT INTO videos (id, title, category, created_at)
       SELECT video_id, 'Other', 'english', '2020-01-01T00:00:00.000Z' FROM video_consents`,
    );
  }

  override clear(): void {
    const others = "NOT LIKE 'other-%'";
    const column = (table: string) =>
      table === "videos" ? "id" : table === "video_consents" ? "video_id" : undefined;
    const deletions = TABLES.map((table) => {
      const name = column(table);
      return `DELETE FROM ${table}${name ? ` WHERE ${name} ${others}` : ""};`;
    });
    this.process.database().exec(
      `BEGIN; ${deletions.join(" ")}
       INSERT INTO series (id, title, slug, visibility) VALUES (1, 'All of them', '${SERIES_SLUG}', 'public');
       INSERT INTO series_slugs (slug, series_id) VALUES ('${SERIES_SLUG}', 1);
       UPDATE catalogue_version SET catalogue = catalogue + ${PUBLIC_CHANGE}; COMMIT`,
    );
    for (const role of ROLES) this.writeToken(role);
  }

  /** Adds a token for the HTTP API that has all scopes. */
  writeToken(role: Role): void {
    const hash = createHash("sha256").update(tokenOf(role)).digest("hex");
    this.write(
      `INSERT OR REPLACE INTO api_tokens (token_hash, user_id, name, scopes, created_at, expires_at)
       VALUES ('${hash}', '${this.idOf(role)}', 'model', '${SCOPES}', '2020-01-01T00:00:00.000Z',
         '2100-01-01T00:00:00.000Z');`,
    );
  }

  /** Reactivates all blocked accounts. */
  async reactivateAll(): Promise<void> {
    const blocked = this.process
      .database()
      .prepare(
        "UPDATE users SET deactivated_at = NULL WHERE deactivated_at IS NOT NULL RETURNING id",
      )
      .pluck()
      .all() as Role[];
    for (const role of blocked) await this.signIn(role);
  }

  /** Returns the time of a schedule's day, in ISO 8601 UTC. */
  day(day: number | null): string | null {
    return day === null ? null : new Date(this.dayZero + day * DAY_MS).toISOString();
  }

  /** Adds a unique video file to the uploads folder, and returns its path in the bucket. */
  addVideoWithFile(): string {
    this.videos += 1;
    const name = `u/${1_700_000_000_000 + this.videos}.mp4`;
    this.process.addFile("videos", name, videoBytes(this.videos));
    return name;
  }

  /** Returns statements with which another process inserts a row and adds it to the public series. */
  insertSql(id: string, row: Row, onConflict: "REPLACE" | "IGNORE" = "REPLACE"): string {
    const values = [
      ...[
        id,
        `${WORD} ${id}`,
        "desi",
        "5",
        JSON.stringify([TAG]),
        row.status,
        this.idOf(row.owner),
      ],
      ...[`/media/videos/${row.file}`, this.day(row.publishAt), this.day(row.unpublishAt)],
    ].map((value) => (value === null ? "NULL" : `'${value}'`));
    return `INSERT OR ${onConflict} INTO videos
        (id, title, category, views, tags, status, uploaded_by, video_url, publish_at, unpublish_at)
        VALUES (${values.join(", ")});
      ${this.joinSeriesSql(id)}`;
  }

  joinSeriesSql(id: string): string {
    return `INSERT OR IGNORE INTO series_videos (series_id, video_id, position)
      SELECT 1, '${id}', 1 + coalesce(max(position), 0) FROM series_videos;`;
  }

  /** Calls the HTTP API with a JSON body. */
  async api(role: Role, method: string, path: string, body?: unknown) {
    const headers = {
      ...this.newClientHeaders(),
      Authorization: `Bearer ${tokenOf(role)}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
    };
    const text = body === undefined ? undefined : JSON.stringify(body);
    return sendRequest(this.process, method, `/api/v1${path}`, headers, text);
  }

  /** Sends a form with a file, as a browser does. */
  async sendFile(role: Role, path: string, fields: Record<string, string>, bytes: Buffer) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append("video", new File([new Uint8Array(bytes)], "video.mp4", { type: "video/mp4" }));
    const request = new Request("http://site.example", { method: "POST", body: form });
    const headers = {
      ...this.newClientHeaders(),
      ...this.cookieOf(role),
      "Content-Type": request.headers.get("Content-Type") ?? "",
    };
    return sendRequest(
      this.process,
      "POST",
      path,
      headers,
      Buffer.from(await request.arrayBuffer()),
    );
  }

  /** Uploads a file over tus, from which a video is created later. Returns the upload's ID. */
  async uploadByTus(role: Role): Promise<string> {
    const bytes = this.newVideo();
    const headers = {
      ...this.newClientHeaders(),
      ...{ Authorization: `Bearer ${tokenOf(role)}`, "Tus-Resumable": "1.0.0" },
    };
    const filename = Buffer.from("video.mp4").toString("base64");
    const created = await sendRequest(this.process, "POST", "/api/v1/uploads", {
      ...headers,
      ...{ "Upload-Length": String(bytes.length), "Upload-Metadata": `filename ${filename}` },
    });
    const id = created.headers.location?.split("/").at(-1) ?? "";
    const sent = await sendRequest(
      this.process,
      "PATCH",
      `/api/v1/uploads/${id}`,
      { ...headers, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" },
      bytes,
    );
    expectSame(`${role} uploads over tus`, [created.status, sent.status], [201, 204]);
    return id;
  }

  /** Returns whether the last import has ended. */
  async isImportOver(): Promise<boolean> {
    const { body } = await this.read("/admin/import.data", "owner");
    return !body.includes('"running"');
  }

  get importFolder(): string {
    return path.join(this.process.folder, "import");
  }

  /** Returns unique bytes that the site accepts as an MP4 when ffmpeg isn't available. */
  newVideo(): Buffer {
    this.videos += 1;
    return videoBytes(this.videos);
  }

  /**
   * Executes statements over another connection, as another process would, because starting a process takes too long.
   */
  override write(sql: string): void {
    this.process.database().exec(sql);
  }

  /**
   * Sends a report as a visitor from one of several networks, each with many IP addresses.
   * @param isKnown whether the report is about a public video. If not, the form has to be confirmed by sending it
   * again.
   * @returns the token for the report's status page.
   */
  async report(
    kind: ReportKind,
    where: string,
    network: number,
    isKnown: boolean,
  ): Promise<string> {
    this.reports += 1;
    const from = { "X-Forwarded-For": `203.0.${network}.${1 + (this.reports % 250)}` };
    const fields: Record<string, string> = {
      ...{ where, what: `What is wrong, ${this.reports}`, name: "Ada", form: String(this.reports) },
      ...{ "statement-0": "on", "statement-1": "on" },
    };
    const send = () => this.send(undefined, `/report.data?kind=${kind}`, fields, from);
    if (!isKnown) {
      const { status } = await send();
      expectSame(`the first attempt to report ${where}`, status, 422);
      fields.anyway = where;
    }
    let response = await send();
    // After many reports, the form asks a question first. The model doesn't count these reports.
    const [, question] = /"question","([^"]*)"/.exec(response.body) ?? [];
    const [, token] = /"token","([^"]*)"/.exec(response.body) ?? [];
    if (response.status === 422 && question && token) {
      Object.assign(fields, { puzzle: token, answer: solve(question) });
      response = await send();
    }
    const [, path] = /"redirect","\/report\/([^"]*)"/.exec(response.body) ?? [];
    if (!path) throw new Error(`a report of ${where}: ${response.status} ${response.body}`);
    return path;
  }

  rows<Row>(sql: string, ...values: unknown[]): Row[] {
    return this.process
      .database()
      .prepare(sql)
      .all(...values) as Row[];
  }

  get origin(): string {
    return PUBLIC_URL;
  }
}

const NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const ORDINALS = ["first", "second", "third", "fourth", "fifth"];

/** Returns the answer to the report form's question. */
function solve(question: string): string {
  const [, a = "", b = ""] = /^What is (\w+) plus (\w+)\?/.exec(question) ?? [];
  if (a) return String(NUMBERS.indexOf(a) + NUMBERS.indexOf(b) + 2);
  const [, place = "", list = ""] =
    /^Which is the (\w+) of these words: (.*)\?/.exec(question) ?? [];
  return list.split(", ")[ORDINALS.indexOf(place)] ?? "";
}

function videoBytes(number: number): Buffer {
  const type = Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isommp42", "latin1");
  const text = Buffer.from(`video ${number}`);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(8 + text.length);
  return Buffer.concat([type, size, Buffer.from("mdat"), text]);
}
