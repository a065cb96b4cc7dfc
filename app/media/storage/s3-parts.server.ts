import type { S3mini } from "s3mini";
import { type DirectParts, type SentPart, StorageError } from "./object-store";
import { readFrom } from "./s3-read.server";
import { failureOf, READ_WITHIN_MS, retried } from "./s3-retry.server";

/** Of an address that is used at once, to read the list of parts. */
const LIST_SECONDS = 60;
/** A page of the list, https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html */
const MOST_LISTED = 1_000;

/** What lets others than the site send an object in parts, by addresses that are signed for each. */
export function s3Parts(s3: S3mini, nameOf: (key: string) => string): DirectParts {
  return {
    begin: (key) => retried(() => s3.getMultipartUploadId(nameOf(key))),
    // With its length signed, the store takes exactly so many bytes.
    address: ({ key, upload, number, bytes }, seconds) =>
      s3.getPresignedUrl(
        "PUT",
        nameOf(key),
        seconds,
        { partNumber: String(number), uploadId: upload },
        { "Content-Length": String(bytes) },
      ),
    async sent(key, upload) {
      const parts: SentPart[] = [];
      for (;;) {
        const query = {
          uploadId: upload,
          "max-parts": String(MOST_LISTED),
          "part-number-marker": String(parts.at(-1)?.number ?? 0),
        };
        const address = await s3.getPresignedUrl("GET", nameOf(key), LIST_SECONDS, query);
        const { body, status } = await retried(() => readFrom(address), READ_WITHIN_MS);
        const text = await new Response(body as unknown as BodyInit).text();
        if (status === 404) return undefined;
        const page = partsOf(text);
        parts.push(...page);
        if (page.length === 0 || !/<IsTruncated>true</.test(text)) return parts;
      }
    },
    finish: (key, upload, parts) => retried(() => completeParts(s3, nameOf(key), upload, parts)),
    async end(key, upload) {
      await retried(() => s3.abortMultipartUpload(nameOf(key), upload));
    },
  };
}

function partsOf(list: string): SentPart[] {
  return [...list.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = ""]) => ({
    number: Number(xmlValue(part, "PartNumber")),
    bytes: Number(xmlValue(part, "Size")),
    etag: xmlValue(part, "ETag").replaceAll("&quot;", "").replaceAll('"', ""),
  }));
}

function xmlValue(text: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? "";
}

/** Puts an object together, and holds that it was. */
export async function completeParts(
  s3: S3mini,
  name: string,
  upload: string,
  parts: readonly Pick<SentPart, "number" | "etag">[],
): Promise<void> {
  const named = parts.map(({ number, etag }) => ({ partNumber: number, etag }));
  try {
    requireDone(await s3.completeMultipartUpload(name, upload, named));
  } catch (error) {
    // Completed by an attempt whose answer was lost: its length says whether that is so.
    if ((error as { serviceCode?: string }).serviceCode !== "NoSuchUpload") throw error;
  }
}

/**
 * A store may begin to answer before it has put the parts together, and then say in an answer with status
 * 200 that it could not.
 */
function requireDone(answer: object): void {
  const { error, Error: failure } = answer as Record<"error" | "Error", unknown>;
  const { code, Code = code } = (error ?? failure ?? {}) as { code?: string; Code?: string };
  if (error || failure) throw new StorageError(failureOf(undefined, Code), Code);
}
