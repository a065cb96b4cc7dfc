import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readBlockListPage } from "~/features/moderation/block-list/block-list-page.server";
import { action } from "~/features/moderation/routes/block-list";
import {
  deleteExpiredEntries,
  hasBlockedMd5s,
  isBlockedFile,
  isBlockedMd5,
  removeEntry,
} from "~/features/processing/comparison/blocked-videos.server";
import { importDigestList } from "~/features/processing/comparison/digest-list.server";
import { exportBlockList } from "~/features/processing/comparison/list-file.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { listActivities } from "~/platform/activity/activity.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { addVideo, adminCookie, expectSuccessOf, useAdminSite } from "../../admin-requests";

const site = useAdminSite();
const sha256 = (n: number) => createHash("sha256").update(String(n)).digest("hex");
const md5 = (n: number) => createHash("md5").update(String(n)).digest("hex");
const isBlocked = (digest: string) =>
  digest.length === 32 ? isBlockedMd5(digest) : isBlockedFile(digest);

function importText(text: string | Buffer, name = "list.txt") {
  const file = path.join(site.folder, "list");
  fs.writeFileSync(file, text);
  return importDigestList(file, { name, reason: "under-age" });
}

function sendList(text: string, fields: Record<string, string> = {}) {
  const body = new FormData();
  body.set("intent", "import");
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  body.set("list", new File([text], "known material.csv"));
  return post(body);
}
function post(body: FormData | URLSearchParams) {
  const headers = { Cookie: adminCookie(), Origin: "http://localhost", Host: "localhost" };
  const request = new Request("http://localhost/admin/block-list", {
    ...{ method: "POST", body, headers },
  });
  return action({ request, params: {}, context: {} });
}

describe("a digest list", () => {
  it.each([
    ["one digest per line", `${sha256(1)}\n${md5(2)}\n`],
    ["no line break at the end", `${sha256(1)}\n${md5(2)}`],
    ["capital letters and spaces", `  ${sha256(1).toUpperCase()} \n\t${md5(2).toUpperCase()}`],
    ["Windows line breaks and a byte order mark", `\ufeff${sha256(1)}\r\n${md5(2)}\r\n`],
    ["comments and empty lines", `# a\n\n; b\n// c\n${sha256(1)}\n\n${md5(2)}\n# end`],
    ["the output of sha256sum and md5sum", `${sha256(1)}  a video.mp4\n${md5(2)} *b.mp4`],
    ["escaped file names", `\\${sha256(1)}  a\\nb.mp4\n${md5(2)}  c`],
    ["the output of sha256sum --tag", `SHA256 (a (1).mp4) = ${sha256(1)}\nMD5 (b) = ${md5(2)}`],
    ["CSV with a header", `name,SHA-256,MD5\n"a, b.mp4",${sha256(1)},\nc,,${md5(2)}`],
    ["CSV with semicolons", `"md5";"sha256"\n"${md5(2)}";"${sha256(1)}"`],
    ["columns separated by tabs", `id\thash\n1\t${sha256(1)}\n2\t${md5(2)}`],
    ["CSV without a header", `${sha256(1)},a video.mp4\n${md5(2)},b`],
  ])("can be read with %s", async (_, text) => {
    expect(await importText(text)).toEqual({ added: 2, known: 0 });
    expect([isBlocked(sha256(1)), isBlocked(md5(2)), isBlocked(md5(1))]).toEqual([
      ...[true, true],
      false,
    ]);
  });

  it.each([
    ["a web page", "<!doctype html>", "Line 1 has no MD5 or SHA-256 digest"],
    ["no content", "", "The file has no MD5 or SHA-256 digests."],
    ["only comments", "# nothing\n", "The file has no MD5 or SHA-256 digests."],
    ["a SHA-1 digest", createHash("sha1").digest("hex"), "Line 1 has no"],
    ["a header without a digest column", "name,size\na,1", "Lines 1, 2 have no"],
    ["a header in the middle", `${md5(1)}\nname,md5\na,${md5(2)}`, "Line 2 has no"],
    ["a row without a digest", `name,md5\na,${md5(1)}\nb,`, "Line 3 has no"],
    ["a digest within a longer word", `md5\n${md5(1)}0`, "Line 2 has no"],
    ["a file name that looks like a digest", `md5\n${md5(1)}.mp4`, "Line 2 has no"],
    ["binary data", Buffer.from([0, 255, 10, 0]), "Lines 1, 2 have no"],
    ["a long line", "a".repeat(70_000), "too long"],
    [
      "many invalid lines",
      `${md5(1)}\n${"x\n".repeat(1_010)}`,
      "Lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 1,000 more have no",
    ],
  ])("is rejected completely if it has %s", async (_, text, message) => {
    await expect(importText(text)).rejects.toThrow(message);
    expect(sqliteHandle().prepare("SELECT count(*) FROM blocked_videos").pluck().get()).toBe(0);
    expect(hasBlockedMd5s()).toBe(false);
  });

  it("counts digests that are already on the block list or repeated in the file", async () => {
    await importText(`${sha256(1)}\n${md5(1)}`);
    expect(await importText(`${sha256(1)}\n${md5(2)}\n${md5(2)}\n${md5(1)}`)).toEqual({
      added: 1,
      known: 3,
    });
    expect(await importText(`${sha256(1)}\n${md5(2)}`)).toEqual({ added: 0, known: 2 });
    const { entries } = await readBlockListPage(undefined);
    expect(entries.map(({ digests }) => digests)).toEqual([1, 2]);
  });

  it("becomes a single entry that is named after its file, and doesn't hide any videos", async () => {
    addVideo({ id: "same", title: "Same", status: "published" });
    sqliteHandle().prepare("INSERT INTO video_digests VALUES ('same', ?)").run(sha256(1));
    const { toast } = await expectSuccessOf(() =>
      sendList(`sha256\n${sha256(1)}\n${sha256(2)}\n${sha256(2)}`, { reason: "copyright" }),
    );
    expect(toast.description).toContain("2 digests added. 1 duplicate skipped.");
    const page = await readBlockListPage(undefined);
    expect(page).toMatchObject({
      entries: [{ title: "known material.csv", digests: 2, reason: "copyright", isImported: true }],
      matches: [{ id: "same", isSame: true }],
    });
    expect(isPublic("same")).toBe(true);
    expect((await listActivities())[0]).toMatchObject({
      action: "block-import",
      detail: "known material.csv: 2 new digests, 1 already listed",
    });
    let exported = "";
    for await (const line of exportBlockList()) exported += line;
    expect(exported.trim().split("\n")).toHaveLength(1);
    const rejected = (await sendList("x")) as unknown as { data: { error: { detail: string } } };
    expect(rejected.data.error.detail).toContain("Line 1 has no MD5");
    expect(await sendList(sha256(3), { reason: "x" })).toMatchObject({ init: { status: 400 } });
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it("stops matching files when it is removed, and matches them again when it is put back", async () => {
    await importText(`${sha256(1)}\n${md5(1)}`);
    const send = (intent: string) =>
      expectSuccessOf(() => post(new URLSearchParams({ intent, entry: "1" })));
    expect((await send("remove")).toast.description).toBe(
      "Files listed in “list.txt” can be uploaded again.",
    );
    expect([isBlocked(sha256(1)), isBlocked(md5(1)), hasBlockedMd5s()]).toEqual([
      ...[false, false],
      false,
    ]);
    await send("put-back");
    expect([isBlocked(sha256(1)), isBlocked(md5(1)), hasBlockedMd5s()]).toEqual([
      ...[true, true],
      true,
    ]);
  });

  it("is added and deleted in batches that don't block other work", async () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => (n % 2 ? sha256(n) : md5(n)));
    const ticks = await ticksDuring(async () => {
      expect(await importText(lines.join("\n"))).toEqual({ added: 20_000, known: 0 });
    });
    expect(ticks.meanMs).toBeLessThan(25);
    await transaction(() => removeEntry(1, new Date("2020-01-01")));
    expect((await ticksDuring(() => deleteExpiredEntries())).meanMs).toBeLessThan(25);
    const left = `SELECT (SELECT count(*) FROM blocked_files) + (SELECT count(*) FROM blocked_md5s)`;
    expect(sqliteHandle().prepare(left).pluck().get()).toBe(0);
    expect((await readBlockListPage(undefined)).removed).toEqual([]);
  }, 60_000);
});

/** Measures the mean duration of an event loop iteration. The maximum depends too much on the machine's load. */
async function ticksDuring(work: () => Promise<unknown>): Promise<{ meanMs: number }> {
  const from = performance.now();
  let ticks = 0;
  let isOver = false;
  const count = () => {
    ticks += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  await work();
  isOver = true;
  return { meanMs: (performance.now() - from) / ticks };
}
