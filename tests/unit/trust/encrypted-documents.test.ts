import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { generateX25519Identity } from "age-encryption";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  DamagedDocumentError,
  decryptedFile,
  encryptingStream,
  unwrapKey,
  wrapKey,
} from "~/features/consent/documents.server";
import { forgetSettings } from "~/platform/settings.server";
import { useTemporarySite } from "../../temporary-site";

const CHUNK = 64 * 1024;
const SEALED = CHUNK + 16;
const key = await generateX25519Identity();

let site: ReturnType<typeof useTemporarySite>;
let file: string;
beforeEach(() => {
  site = useTemporarySite();
  file = path.join(site.folder, "document");
});
afterEach(() => site.remove());

async function encrypt(content: Buffer): Promise<void> {
  // The chunks have an odd length, as they do when they arrive over a connection.
  const pieces = Array.from({ length: Math.ceil(content.length / 5_001) }, (_, index) =>
    content.subarray(index * 5_001, (index + 1) * 5_001),
  );
  await pipeline(
    Readable.from(pieces),
    encryptingStream(Promise.resolve(key), () => {}),
    fs.createWriteStream(file),
  );
}

async function decrypt(withKey = key): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of decryptedFile(file, withKey)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe("document encryption", () => {
  it.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 1_000_000])(
    "restores the same %i bytes and doesn't leave plaintext on disk",
    async (bytes) => {
      const content = Buffer.alloc(bytes, "a legal name ");
      await encrypt(content);
      const encrypted = fs.readFileSync(file);
      expect(encrypted.toString("latin1")).toMatch(/^age-encryption\.org\/v1\n/);
      expect(encrypted.includes("legal")).toBe(false);
      expect((await decrypt()).equals(content)).toBe(true);
    },
  );

  it("rejects a file that was changed, truncated, reordered or extended", async () => {
    await encrypt(randomBytes(3 * CHUNK + 7));
    const encryptedFile = fs.readFileSync(file);
    // The last chunk has 7 bytes.
    const begin = encryptedFile.length - 3 * SEALED - 7 - 16;
    const chunk = (number: number) =>
      encryptedFile.subarray(begin + number * SEALED, begin + (number + 1) * SEALED);
    const changed = Buffer.from(encryptedFile);
    changed[begin + SEALED + 3]! ^= 1;
    const cases = [
      changed,
      encryptedFile.subarray(0, begin + 2 * SEALED),
      encryptedFile.subarray(0, begin + 2 * SEALED + 100),
      encryptedFile.subarray(0, -1),
      Buffer.concat([encryptedFile.subarray(0, begin), chunk(1), chunk(0), chunk(2), chunk(3)]),
      Buffer.concat([encryptedFile, encryptedFile.subarray(0, 50)]),
      Buffer.alloc(0),
      Buffer.alloc(5),
    ];
    for (const content of cases) {
      fs.writeFileSync(file, content);
      await expect(decrypt()).rejects.toThrow(DamagedDocumentError);
    }
    fs.rmSync(file);
    await expect(decrypt()).rejects.toThrow("ENOENT");
  });

  it("rejects a file encrypted with another key, and decrypts a file's key with any listed secret", async () => {
    await encrypt(Buffer.from("text"));
    await expect(decrypt(await generateX25519Identity())).rejects.toThrow(DamagedDocumentError);
    const first = "the first secret of at least 32 characters";
    const second = "the second secret of at least 32 characters";
    const use = (secrets: string) => {
      process.env.SESSION_SECRET = secrets;
      forgetSettings();
    };
    use(first);
    const wrapped = wrapKey(key);
    use(`${second},${first}`);
    expect(unwrapKey(wrapped)).toBe(key);
    use(second);
    expect(unwrapKey(wrapped)).toBeUndefined();
    use(first);
    expect(unwrapKey(wrapped)).toBe(key);
  });

  it("propagates errors from the source", async () => {
    const failing = encryptingStream(Promise.resolve(key), () => {
      throw new Error("too long");
    });
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const written = pipeline(Readable.from([Buffer.from("x")]), failing, nowhere);
    await expect(written).rejects.toThrow("too long");
  });
});
