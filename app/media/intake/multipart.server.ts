import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { claimBody, stopAtShutdown } from "~/platform/node/request-body.server";
import { type Reservation, reserveDiskSpace } from "./disk-space.server";
import {
  discardReceived,
  type FileRule,
  type ReceivedFile,
  receiveFile,
} from "./received-file.server";
import { shuttingDown, truncated, UploadError } from "./upload-error.server";

/** A multipart form that was read to the end, or until it was rejected. */
export interface ReceivedForm {
  /** The last value received for each text field. */
  fields: Map<string, string>;
  /** Files that were received completely; empty after an error. */
  files: Map<string, ReceivedFile>;
  /** The reason why the form was rejected. Its text fields are kept for the page; its files are removed. */
  error?: UploadError;
}

const MAX_TEXT_BYTES = 64 * 1024;
const MAX_TEXTS = 50;
const MAX_FILES = 10;
/** The maximum number of parts of any kind, even those without a name, because parsing each part takes time. */
const MAX_PARTS = 100;
const MAX_HEADER_BYTES = 32 * 1024;
/**
 * The size of the parser's buffer for a part that hasn't been read yet. It must be larger than a chunk from the
 * network: if a skipped part fills the buffer, the parser never notices its end (deps/dicer/lib/Dicer.js in the
 * package).
 */
const PART_BUFFER_BYTES = 256 * 1024;
/** The size limit for text fields, boundaries and headers together. */
const FRAME_BYTES = MAX_TEXTS * MAX_TEXT_BYTES + 1024 * 1024;
/** How many more bytes are read after an error, for text fields that may follow. */
const READ_ON_BYTES = 1024 * 1024;

/**
 * Reads a multipart form, with fields in any order. Files are streamed to `uploads/tmp` with back-pressure. Files in
 * fields without a rule are skipped, and an empty file input counts as absent. The caller has to discard the files that
 * it doesn't move.
 *
 * @param rules the rule for each file field, by field name. If the whole form is too large, the first rule's message is
 *   used.
 * @param uploader the id of a user whose share of the disk is limited; see `requireDiskSpace`.
 */
export async function receiveMultipart(
  request: Request,
  rules: Record<string, FileRule>,
  uploader?: string,
): Promise<ReceivedForm> {
  const form: ReceivedForm = { fields: new Map(), files: new Map() };
  const body = claimBody(request);
  let reservation: Reservation | undefined;
  let early: UploadError | undefined;
  try {
    try {
      reservation = await admit(request, rules, uploader);
    } catch (error) {
      if (!(error instanceof UploadError)) throw error;
      early = error;
    }
    await read(body, request, rules, form, { early, reservation });
  } catch (error) {
    await discardReceived(...form.files.values());
    form.files.clear();
    if (!(error instanceof UploadError)) throw error;
    form.error = error;
  } finally {
    reservation?.release();
  }
  return form;
}

/**
 * Checks the size of the form, and reserves disk space for it.
 *
 * @throws {UploadError} 413 if it exceeds the combined limit of all rules, 507 if the disk is too full.
 */
async function admit(
  request: Request,
  rules: Record<string, FileRule>,
  uploader: string | undefined,
): Promise<Reservation> {
  const length = Number(request.headers.get("Content-Length") ?? 0);
  const most = Object.values(rules).reduce((sum, rule) => sum + rule.maxBytes, FRAME_BYTES);
  const [field, first] = Object.entries(rules)[0] ?? [];
  if (first && length > most) throw new UploadError(413, first.tooLarge, field);
  return reserveDiskSpace(length, uploader);
}

interface Admission {
  /** The reason why the form is rejected, if that is known before the first byte. */
  early?: UploadError;
  reservation?: Reservation;
}

async function read(
  body: Readable,
  request: Request,
  rules: Record<string, FileRule>,
  form: ReceivedForm,
  { early, reservation }: Admission,
): Promise<void> {
  const parser = openParser(request);
  const arriving: Promise<void>[] = [];
  const open = new Set<BusboyFileStream>();
  const seen = new Set<string>();
  let firstError: unknown;

  await new Promise<void>((finished) => {
    const stop = () => {
      body.unpipe(parser);
      body.pause();
      for (const stream of open) stream.destroy(truncated());
      finished();
    };
    const reject = (error: unknown) => {
      if (firstError) return;
      firstError = error;
      if (!(error instanceof UploadError) || error.status === 400) return stop();
      let left = READ_ON_BYTES;
      body.on("data", (chunk: Buffer) => {
        left -= chunk.length;
        if (left < 0) stop();
      });
    };

    parser.on("field", (name, value, nameCut, valueCut) => {
      if (nameCut || valueCut) {
        reject(new UploadError(413, "A form field is too long.", name));
      } else form.fields.set(name, value);
    });
    parser.on("fieldsLimit", () => reject(new UploadError(413, "The form has too many fields.")));
    parser.on("filesLimit", () => reject(new UploadError(413, "The form has too many files.")));
    parser.on("partsLimit", () => {
      reject(new UploadError(413, "The form has too many parts."));
      // Stop reading, unlike after other errors, because parsing the parts is what takes time.
      stop();
    });
    parser.on("file", (field, stream, name) => {
      const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
      // An error is emitted on a part's stream even if the part is skipped.
      stream.on("error", () => {});
      if (!rule || !name || firstError) return void stream.resume();
      if (seen.has(field)) {
        stream.resume();
        return reject(new UploadError(422, `Choose only one ${field} file.`, field));
      }
      seen.add(field);
      open.add(stream);
      const written = receiveFile(stream, name, rule, field, reservation)
        .then((file) => void form.files.set(field, file))
        .catch((error) => {
          reject(error);
          stream.resume();
        })
        .finally(() => open.delete(stream));
      arriving.push(written);
    });
    parser.on("error", () => reject(truncated()));
    parser.on("finish", () => finished());
    body.on("error", () => reject(truncated()));
    body.on("close", () => {
      if (!body.readableEnded) reject(truncated());
    });
    stopAtShutdown(body, () => {
      reject(shuttingDown());
      stop();
    });
    if (early) reject(early);
    body.pipe(parser);
  });

  await Promise.all(arriving);
  if (firstError) throw firstError;
}

function openParser(request: Request): BusboyInstance {
  const headers = {
    "content-type": request.headers.get("Content-Type") ?? "",
  } satisfies IncomingHttpHeaders;
  try {
    return new Busboy({
      headers,
      fileHwm: PART_BUFFER_BYTES,
      limits: {
        fieldSize: MAX_TEXT_BYTES,
        fields: MAX_TEXTS,
        files: MAX_FILES,
        parts: MAX_PARTS,
        headerSize: MAX_HEADER_BYTES,
      },
    });
  } catch {
    throw new UploadError(400, "The form data is invalid.");
  }
}
