import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../process-figures";
import { signInTo } from "../site-client";
import { SiteProcess } from "../site-process";
import { startFaultyStore } from "./faulty-store";
import { hasS3Server } from "./object-stores";
import { largeFilm } from "./stored-film";

const MIB = 1024 ** 2;
const PART_BYTES = 16 * MIB;

/** A film of two parts. */
const film = () => largeFilm(PART_BYTES + 3 * MIB);

describe.runIf(hasS3Server)("an upload whose parts the browser puts into the store", () => {
  const site = new SiteProcess({ STORAGE_DELIVERY: "redirect" });
  let store: Awaited<ReturnType<typeof startFaultyStore>>;
  let cookie: string;

  beforeAll(async () => {
    store = await startFaultyStore();
    await site.start(store.environment);
    cookie = await signInTo(site);
  }, 60_000);
  afterAll(async () => {
    await site.remove();
    await store?.stop();
  });

  const headers = (more: Record<string, string> = {}) => ({
    Cookie: cookie,
    Origin: site.url,
    ...more,
  });

  /** Begins over tus, as every upload does. */
  async function begun(bytes: number): Promise<string> {
    const answer = await fetch(`${site.url}/admin/uploads`, {
      method: "POST",
      headers: headers({
        "Tus-Resumable": "1.0.0",
        "Upload-Length": String(bytes),
        "Upload-Metadata": `filename ${btoa("film.mp4")},filetype ${btoa("video/mp4")}`,
      }),
    });
    expect(answer.status).toBe(201);
    return answer.headers.get("Location")!.split("/").at(-1)!;
  }

  const ask = (id: string, fields: Record<string, string>, more: Record<string, string> = {}) =>
    fetch(`${site.url}/admin/uploads/${id}/parts`, {
      method: "POST",
      headers: headers(more),
      body: new URLSearchParams(fields),
    });
  const begin = async (id: string) => (await ask(id, { intent: "begin" })).json();

  async function addressOf(id: string, number: number): Promise<string> {
    const answer = await ask(id, { intent: "address", number: String(number) });
    expect(answer.status).toBe(200);
    return (await answer.json()).address;
  }

  const put = (address: string, body: Buffer) =>
    fetch(address, { method: "PUT", body: body as unknown as BodyInit });

  async function sent(id: string, bytes: Buffer, number: number): Promise<void> {
    const part = bytes.subarray((number - 1) * PART_BYTES, number * PART_BYTES);
    expect((await put(await addressOf(id, number), part)).status).toBe(200);
  }

  const receive = (id: string) => ask(id, { intent: "receive" });

  function publish(id: string, title: string) {
    const form = new FormData();
    const fields = { title, description: "By the sea.", category: "desi", tags: "", upload: id };
    for (const [name, text] of Object.entries(fields)) form.set(name, text);
    return fetch(`${site.url}/admin/publish`, { method: "POST", headers: headers(), body: form });
  }

  const received = (id: string) => path.join(site.uploads, "tmp", "tus", id);
  const notes = () => fs.readdirSync(path.join(site.uploads, ".removed"));
  const inStore = (id: string) => new RegExp(`^\\w+ /films/site/incoming/${id}`);

  it("arrives without its bytes passing through the site, and is published", async () => {
    const bytes = film();
    const id = await begun(bytes.length);
    expect(await begin(id)).toEqual({ partBytes: PART_BYTES, sent: [] });
    await sent(id, bytes, 1);
    expect(await begin(id)).toEqual({ partBytes: PART_BYTES, sent: [1] });
    await sent(id, bytes, 2);
    expect(fs.statSync(received(id)).size).toBe(0);
    expect((await receive(id)).status).toBe(200);
    const digest = (content: Buffer) => createHash("sha256").update(content).digest("hex");
    expect(digest(fs.readFileSync(received(id)))).toBe(digest(bytes));
    // Its answer may be lost: who asks again is answered the same.
    expect((await receive(id)).status).toBe(200);
    // So is who has left the page before it was published, also once the store has nothing of it.
    await until(() => notes().length === 0);
    expect(await begin(id)).toEqual({ partBytes: PART_BYTES, sent: [1, 2] });
    const answer = await publish(id, "Two parts");
    expect(answer.status, await answer.clone().text()).toBe(201);
    const sha256 = site
      .database()
      .prepare(
        "SELECT sha256 FROM video_digests JOIN videos ON videos.id = video_id WHERE title = 'Two parts'",
      )
      .pluck();
    expect(sha256.get()).toBe(digest(bytes));
    // What was sent is removed from the store, where the film goes under a name of its own.
    expect(store.sent(/^DELETE .*\/incoming\//)).toBeGreaterThan(0);
  });

  it("takes of each part exactly the bytes that were announced", async () => {
    const bytes = film();
    const id = await begun(bytes.length);
    await begin(id);
    for (const length of [PART_BYTES - 1, PART_BYTES + 1]) {
      const answer = await put(await addressOf(id, 1), Buffer.alloc(length)).catch(() => undefined);
      expect(answer?.ok ?? false).toBe(false);
    }
    expect(await begin(id)).toEqual({ partBytes: PART_BYTES, sent: [] });
    for (const number of ["0", "3", "1.5", "-1", "x", ""]) {
      expect((await ask(id, { intent: "address", number })).status, number).toBe(400);
    }
  });

  it("is not received while parts are missing", async () => {
    const bytes = film();
    const id = await begun(bytes.length);
    expect((await receive(id)).status).toBe(409);
    await begin(id);
    await sent(id, bytes, 2);
    const answer = await receive(id);
    expect([answer.status, await answer.text()]).toEqual([
      409,
      "This upload has not arrived completely.\n",
    ]);
    expect((await publish(id, "Half")).status).toBe(409);
  });

  it("that is no video is refused, and leaves nothing", async () => {
    const bytes = Buffer.alloc(PART_BYTES + MIB, "no video ");
    const id = await begun(bytes.length);
    await begin(id);
    await sent(id, bytes, 1);
    await sent(id, bytes, 2);
    const answer = await receive(id);
    expect(answer.status).toBe(415);
    expect(fs.existsSync(received(id))).toBe(false);
    expect((await begin(id).catch(() => "gone")) as string).toBe("gone");
    await until(() => notes().length === 0);
    const address = `${new URL(store.environment.STORAGE_URL).searchParams.get("endpoint")}`;
    expect((await fetch(`${address}/films/site/incoming/${id}`)).status).not.toBe(200);
  });

  it("goes on after the site was killed, also between the store and the disk", async () => {
    const bytes = film();
    const id = await begun(bytes.length);
    await begin(id);
    await sent(id, bytes, 1);
    await site.stop("SIGKILL");
    await site.start();
    expect(await begin(id)).toEqual({ partBytes: PART_BYTES, sent: [1] });
    await sent(id, bytes, 2);
    // The parts are one object then, which the site has begun to read.
    store.fail({ when: /^GET .*\/incoming\/[^?]+\?X-Amz-Algorithm/, answer: "cut" });
    const answer = await receive(id).catch(() => undefined);
    expect(answer?.ok ?? false).toBe(false);
    await site.stop("SIGKILL");
    store.fail();
    await site.start();
    expect(await begin(id)).toEqual({ partBytes: PART_BYTES, sent: [1, 2] });
    expect((await receive(id)).status).toBe(200);
    expect(fs.readFileSync(received(id)).equals(bytes)).toBe(true);
  });

  it("waits while the store is away, and says so", async () => {
    const bytes = film();
    const id = await begun(bytes.length);
    await begin(id);
    await sent(id, bytes, 1);
    await sent(id, bytes, 2);
    store.fail({ when: /incoming/, answer: { status: 503, code: "SlowDown" } });
    const answer = await receive(id);
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringMatching(/^The file store does not answer\./),
    ]);
    store.fail();
    expect((await receive(id)).status).toBe(200);
  });

  it("that is cancelled is ended in the store as well", async () => {
    const bytes = film();
    const id = await begun(bytes.length);
    await begin(id);
    await sent(id, bytes, 1);
    store.fail();
    const options = { method: "DELETE", headers: headers({ "Tus-Resumable": "1.0.0" }) };
    expect((await fetch(`${site.url}/admin/uploads/${id}`, options)).status).toBe(204);
    expect(store.sent(/^DELETE .*uploadId=/)).toBe(1);
    expect(store.sent(inStore(id))).toBeGreaterThan(0);
    expect((await ask(id, { intent: "begin" })).status).toBe(404);
  });

  it("is its owner's alone, and asks for a session and the site's own pages", async () => {
    const id = await begun(film().length);
    const other = id.replace(/^[^-]+/, "somebodyelse");
    expect((await ask(other, { intent: "begin" })).status).toBe(404);
    expect((await ask(id, { intent: "begin" }, { Cookie: "" })).status).toBe(401);
    expect((await ask(id, { intent: "begin" }, { Origin: "https://evil.example" })).status).toBe(
      403,
    );
    expect((await ask(id, { intent: "else" })).status).toBe(400);
    expect((await ask("..%2F..%2Fsite", { intent: "begin" })).status).toBe(404);
    const read = await fetch(`${site.url}/admin/uploads/${id}/parts`, { headers: headers() });
    expect([read.status, read.headers.get("Allow")]).toEqual([405, "POST"]);
  });

  it("is not offered where the bytes of films pass through the site", async () => {
    await site.stop();
    await site.start({ STORAGE_DELIVERY: "proxy" });
    const id = await begun(film().length);
    const answer = await ask(id, { intent: "begin" });
    expect([answer.status, await answer.text()]).toEqual([
      409,
      "This site takes uploads in one piece.\n",
    ]);
  });
});
