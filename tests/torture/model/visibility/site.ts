import { createHash } from "node:crypto";
import path from "node:path";
import type { ReportKind } from "~db/schema/moderation";
import { PUBLIC_CHANGE } from "../../../../db/catalogue-version";
import { ask } from "../../../site-client";
import { ROLES, type Role } from "../reference";
import { PUBLIC_URL, RunningSite } from "../running-site";
import { expectSame } from "../step";
import type { Row, SiteSettings } from "./reference";

const DAY_MS = 86_400_000;
/** A share of these videos is what REPORT_HIDE_LIMIT lets reports hide in a day: about 10,000 for 1,000. */
const OTHER_VIDEOS = 1_000;
const UNLIMITED = "999999/h,999%/d";
/** Everything that a run enters, except for the accounts and the moderation log, which only grows. */
const TABLES = [
  ...["videos", "deleted_videos", "video_holds", "video_files", "jobs"],
  ...["reports", "preview_links", "review_notes", "performers", "video_consents", "user_strikes"],
  ...["blocked_videos", "block_list_matches", "series_videos", "series", "series_slugs"],
  ...["api_tokens", "uploader_decisions"],
];
const SCOPES = JSON.stringify(["read", "upload", "edit", "publish", "delete"]);

export const SERIES_SLUG = "all-of-them";
export const TAG = "watched";
/** In the title of each video, and in no other. */
export const WORD = "zebra";

const tokenOf = (role: Role) => `afterdark_${role}`;

/** A site without ffmpeg: uploads take milliseconds, and nothing is made of them. */
export class VisibilitySite extends RunningSite {
  /** When the days of schedules begin. */
  private readonly dayZero = Date.now();
  private videos = 0;
  private reports = 0;
  private settings: SiteSettings | undefined;

  constructor() {
    super({ PATH: "/nonexistent", STRIKES_BLOCK: "3" });
  }

  /** Restarts the site if its settings differ from these. */
  async use(settings: SiteSettings): Promise<void> {
    if (JSON.stringify(settings) === JSON.stringify(this.settings)) return;
    const environment = {
      IMPORT_DIR: this.importFolder,
      REQUIRE_CONSENT: settings.requireConsent ? "on" : "off",
      REPORT_HIDE_LIMIT: settings.hidesAtOnce ? UNLIMITED : "0/h,0%/d",
    };
    if (this.settings) {
      await this.process.stop();
      await this.process.start(environment);
    } else {
      await this.process.start(environment);
      await this.enterAccounts();
      this.enterOthers();
    }
    this.settings = settings;
  }

  /** Public videos that no step touches, each with a valid consent record. */
  private enterOthers(): void {
    this.process.database().exec(
      `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${OTHER_VIDEOS})
       INSERT INTO video_consents (video_id, kind, people, recorded_on, updated_at)
       SELECT 'other-' || n, 'own', 0, '2020-01-01', '2020-01-01T00:00:00.000Z' FROM number;
       INSERT INTO videos (id, title, category, created_at)
       SELECT video_id, 'Other', 'english', '2020-01-01T00:00:00.000Z' FROM video_consents`,
    );
  }

  override empty(): void {
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

  /** A token for the HTTP API that may do all that its user may. */
  writeToken(role: Role): void {
    const hash = createHash("sha256").update(tokenOf(role)).digest("hex");
    this.write(
      `INSERT OR REPLACE INTO api_tokens (token_hash, user_id, name, scopes, created_at, expires_at)
       VALUES ('${hash}', '${this.idOf(role)}', 'model', '${SCOPES}', '2020-01-01T00:00:00.000Z',
         '2100-01-01T00:00:00.000Z');`,
    );
  }

  /** Lets everybody in again whom a run has blocked. */
  async letIn(): Promise<void> {
    const blocked = this.process
      .database()
      .prepare(
        "UPDATE users SET deactivated_at = NULL WHERE deactivated_at IS NOT NULL RETURNING id",
      )
      .pluck()
      .all() as Role[];
    for (const role of blocked) await this.signIn(role);
  }

  /** A day of schedules, ISO 8601 UTC. */
  day(day: number | null): string | null {
    return day === null ? null : new Date(this.dayZero + day * DAY_MS).toISOString();
  }

  /** Puts a video of its own into the uploads folder. @returns its path in the bucket. */
  addVideoWithFile(): string {
    this.videos += 1;
    const name = `u/${1_700_000_000_000 + this.videos}.mp4`;
    this.process.addFile("videos", name, videoBytes(this.videos));
    return name;
  }

  /** What another program enters for a row, in the public series too. */
  insertSql(id: string, row: Row, taken: "REPLACE" | "IGNORE" = "REPLACE"): string {
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
    return `INSERT OR ${taken} INTO videos
        (id, title, category, views, tags, status, uploaded_by, video_url, publish_at, unpublish_at)
        VALUES (${values.join(", ")});
      ${this.joinSeriesSql(id)}`;
  }

  joinSeriesSql(id: string): string {
    return `INSERT OR IGNORE INTO series_videos (series_id, video_id, position)
      SELECT 1, '${id}', 1 + coalesce(max(position), 0) FROM series_videos;`;
  }

  /** A call of the HTTP API, as JSON. */
  async api(role: Role, method: string, path: string, body?: unknown) {
    const headers = {
      ...this.someone(),
      Authorization: `Bearer ${tokenOf(role)}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
    };
    const text = body === undefined ? undefined : JSON.stringify(body);
    return ask(this.process, method, `/api/v1${path}`, headers, text);
  }

  /** The fields of a form with a file, as browsers send it. */
  async sendFile(role: Role, path: string, fields: Record<string, string>, bytes: Buffer) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append("video", new File([new Uint8Array(bytes)], "video.mp4", { type: "video/mp4" }));
    const request = new Request("http://site.example", { method: "POST", body: form });
    const headers = {
      ...this.someone(),
      ...this.cookieOf(role),
      "Content-Type": request.headers.get("Content-Type") ?? "",
    };
    return ask(this.process, "POST", path, headers, Buffer.from(await request.arrayBuffer()));
  }

  /** Sends a file over tus, for a video that is made of it later. @returns the id of the upload. */
  async sendByTus(role: Role): Promise<string> {
    const bytes = this.newVideo();
    const headers = {
      ...this.someone(),
      ...{ Authorization: `Bearer ${tokenOf(role)}`, "Tus-Resumable": "1.0.0" },
    };
    const filename = Buffer.from("video.mp4").toString("base64");
    const begun = await ask(this.process, "POST", "/api/v1/uploads", {
      ...headers,
      ...{ "Upload-Length": String(bytes.length), "Upload-Metadata": `filename ${filename}` },
    });
    const id = begun.headers.location?.split("/").at(-1) ?? "";
    const sent = await ask(
      this.process,
      "PATCH",
      `/api/v1/uploads/${id}`,
      { ...headers, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" },
      bytes,
    );
    expectSame(`${role} sends an upload`, [begun.status, sent.status], [201, 204]);
    return id;
  }

  /** Whether the import that began last has ended. */
  async isImportOver(): Promise<boolean> {
    const { body } = await this.read("/admin/import.data", "owner");
    return !body.includes('"running"');
  }

  get importFolder(): string {
    return path.join(this.process.folder, "import");
  }

  /** New bytes that look like an MP4, as far as that is looked at without ffmpeg. */
  newVideo(): Buffer {
    this.videos += 1;
    return videoBytes(this.videos);
  }

  /** Statements of another program: another connection, since a process for each takes too long. */
  override write(sql: string): void {
    this.process.database().exec(sql);
  }

  /**
   * Sends a report as a visitor of one of several networks, each of whose addresses sends a few.
   *
   * @param isKnown whether it names a public video; if not, sending it takes a second press.
   * @returns the token of its status page.
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
      expectSame(`the first press for ${where}`, status, 422);
      fields.anyway = where;
    }
    let answer = await send();
    // Nobody knows before how many others have sent: then it is asked a question.
    const [, question] = /"question","([^"]*)"/.exec(answer.body) ?? [];
    const [, token] = /"token","([^"]*)"/.exec(answer.body) ?? [];
    if (answer.status === 422 && question && token) {
      Object.assign(fields, { puzzle: token, answer: solve(question) });
      answer = await send();
    }
    const [, path] = /"redirect","\/report\/([^"]*)"/.exec(answer.body) ?? [];
    if (!path) throw new Error(`a report of ${where}: ${answer.status} ${answer.body}`);
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
const PLACES = ["first", "second", "third", "fourth", "fifth"];

/** Answers the question of a report's form. */
function solve(question: string): string {
  const [, a = "", b = ""] = /^How much is (\w+) and (\w+)\?/.exec(question) ?? [];
  if (a) return String(NUMBERS.indexOf(a) + NUMBERS.indexOf(b) + 2);
  const [, place = "", list = ""] =
    /^Which is the (\w+) of these words: (.*)\?/.exec(question) ?? [];
  return list.split(", ")[PLACES.indexOf(place)] ?? "";
}

function videoBytes(number: number): Buffer {
  const type = Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isommp42", "latin1");
  const text = Buffer.from(`video ${number}`);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(8 + text.length);
  return Buffer.concat([type, size, Buffer.from("mdat"), text]);
}
