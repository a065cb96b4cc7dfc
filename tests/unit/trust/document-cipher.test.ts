import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { forgetSettings } from "~/server/settings.server";
import {
  decryptedFile,
  encryptedBytes,
  encryptingStream,
  newDocumentKey,
  unwrapKey,
  wrapKey,
} from "~/trust/consent/document-cipher.server";
import { useTemporarySite } from "../../temporary-site";

const CHUNK = 64 * 1024;
const SEALED = CHUNK + 16;
const key = newDocumentKey();

let site: ReturnType<typeof useTemporarySite>;
let file: string;
beforeEach(() => {
  site = useTemporarySite();
  file = path.join(site.folder, "document");
});
afterEach(() => site.remove());

async function encrypt(content: Buffer, id = "a", target = file): Promise<void> {
  // In pieces of an odd length, as they come over a connection.
  const pieces = Array.from({ length: Math.ceil(content.length / 5_001) }, (_, index) =>
    content.subarray(index * 5_001, (index + 1) * 5_001),
  );
  await pipeline(
    Readable.from(pieces),
    encryptingStream(key, id, () => {}),
    fs.createWriteStream(target),
  );
}

async function decrypt(id = "a", withKey = key): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of decryptedFile(file, withKey, id)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe("the encryption of documents", () => {
  it.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 1_000_000])(
    "gives %i bytes back as they were, and not a word of them is on the disk",
    async (bytes) => {
      const content = Buffer.alloc(bytes, "a legal name ");
      await encrypt(content);
      expect(fs.statSync(file).size).toBe(encryptedBytes(bytes));
      expect(fs.readFileSync(file).includes("legal")).toBe(false);
      expect((await decrypt()).equals(content)).toBe(true);
    },
  );

  it("refuses a file that was changed, cut at a chunk or within one, or made longer", async () => {
    await encrypt(randomBytes(3 * CHUNK + 7));
    const whole = fs.readFileSync(file);
    const changed = Buffer.from(whole);
    changed[SEALED + 3]! ^= 1;
    const cases = [
      changed,
      whole.subarray(0, 2 * SEALED),
      whole.subarray(0, 2 * SEALED + 100),
      whole.subarray(0, -1),
      Buffer.concat([whole, whole.subarray(0, 50)]),
      Buffer.alloc(0),
      Buffer.alloc(5),
    ];
    for (const content of cases) {
      fs.writeFileSync(file, content);
      await expect(decrypt()).rejects.toThrow(/The file/);
    }
  });

  it("refuses chunks that were swapped, and a file under the name of another", async () => {
    await encrypt(randomBytes(3 * CHUNK));
    await expect(decrypt("b")).rejects.toThrow("not what was encrypted");
    const whole = fs.readFileSync(file);
    const chunk = (number: number) => whole.subarray(number * SEALED, (number + 1) * SEALED);
    fs.writeFileSync(file, Buffer.concat([chunk(1), chunk(0), chunk(2)]));
    await expect(decrypt()).rejects.toThrow("not what was encrypted");
  });

  it("refuses a file with another key, and opens its key with every secret that is listed", async () => {
    await encrypt(Buffer.from("text"));
    await expect(decrypt("a", newDocumentKey())).rejects.toThrow("not what was encrypted");
    const first = "the first secret of at least 32 letters";
    const second = "the second secret of at least 32 letters";
    const use = (secrets: string) => {
      process.env.SESSION_SECRET = secrets;
      forgetSettings();
    };
    use(first);
    const wrapped = wrapKey(key);
    use(`${second},${first}`);
    expect(unwrapKey(wrapped)?.equals(key)).toBe(true);
    use(second);
    expect(unwrapKey(wrapped)).toBeUndefined();
    use(first);
    expect(unwrapKey(wrapped)?.equals(key)).toBe(true);
  });

  it("stops what is not admitted", async () => {
    const refusing = encryptingStream(key, "a", () => {
      throw new Error("too long");
    });
    const read = async () => {
      for await (const _ of refusing) expect.fail("something was encrypted");
    };
    await expect(pipeline(Readable.from([Buffer.from("x")]), refusing, read)).rejects.toThrow(
      "too long",
    );
  });
});
