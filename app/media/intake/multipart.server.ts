import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { claimBody, stopAtShutdown } from "~/server/node/request-body.server";
import { type Reservation, reserveDiskSpace } from "./disk-space.server";
import {
  discardReceived,
  type FileRule,
  type ReceivedFile,
  receiveFile,
} from "./received-file.server";
import { shuttingDown, truncated, UploadError } from "./upload-error.server";

/** A multipart form that has been read to its end, or as far as it was of use. */
export interface ReceivedForm {
  /** The last value of each text field. */
  fields: Map<string, string>;
  /** Files that have arrived whole; empty after a refusal. */
  files: Map<string, ReceivedFile>;
  /** Why the form was not taken. Its texts are kept for the page, its files are gone. */
  refusal?: UploadError;
}

const MAX_TEXT_BYTES = 64 * 1024;
const MAX_TEXTS = 50;
const MAX_FILES = 10;
/** Of any kind, those without a name too: each costs the parser, whatever becomes of it. */
const MAX_PARTS = 100;
const MAX_HEADER_BYTES = 32 * 1024;
/** What texts, boundaries and headers may add to the files. */
const FRAME_BYTES = MAX_TEXTS * MAX_TEXT_BYTES + 1024 * 1024;
/** How far a form is read on after a refusal, for the texts that may still come. */
const READ_ON_BYTES = 1024 * 1024;

/**
 * Reads a multipart form, its files through `uploads/tmp` with back-pressure, its fields in any
 * order. Files of fields that have no rule are passed over; an empty file input counts as absent.
 * Whoever calls it discards the files it does not move on.
 *
 * @param rules by field name; the first is what a form that is too long is told about.
 */
export async function receiveMultipart(
  request: Request,
  rules: Record<string, FileRule>,
): Promise<ReceivedForm> {
  const form: ReceivedForm = { fields: new Map(), files: new Map() };
  const body = claimBody(request);
  let room: Reservation | undefined;
  let early: UploadError | undefined;
  try {
    try {
      room = await admit(request, rules);
    } catch (error) {
      if (!(error instanceof UploadError)) throw error;
      early = error;
    }
    await read(body, request, rules, form, { early, room });
  } catch (error) {
    await discardReceived(...form.files.values());
    form.files.clear();
    if (!(error instanceof UploadError)) throw error;
    form.refusal = error;
  } finally {
    room?.release();
  }
  return form;
}

/**
 * What the length alone tells: room on the disk is held for a form that fits.
 *
 * @throws {UploadError} 413 for what is too much for every rule together, 507 for the disk.
 */
async function admit(request: Request, rules: Record<string, FileRule>): Promise<Reservation> {
  const length = Number(request.headers.get("Content-Length") ?? 0);
  const most = Object.values(rules).reduce((sum, rule) => sum + rule.maxBytes, FRAME_BYTES);
  const [field, first] = Object.entries(rules)[0] ?? [];
  if (first && length > most) throw new UploadError(413, first.tooLarge, field);
  return reserveDiskSpace(length);
}

interface Admission {
  /** Why the form is not taken, known before its first byte. */
  early?: UploadError;
  room?: Reservation;
}

async function read(
  body: Readable,
  request: Request,
  rules: Record<string, FileRule>,
  form: ReceivedForm,
  { early, room }: Admission,
): Promise<void> {
  const parser = openParser(request);
  const arriving: Promise<void>[] = [];
  const open = new Set<BusboyFileStream>();
  const seen = new Set<string>();
  let refusal: unknown;

  await new Promise<void>((finished) => {
    const stop = () => {
      body.unpipe(parser);
      body.pause();
      for (const stream of open) stream.destroy(truncated());
      finished();
    };
    const refuse = (error: unknown) => {
      if (refusal) return;
      refusal = error;
      if (!(error instanceof UploadError) || error.status === 400) return stop();
      let left = READ_ON_BYTES;
      body.on("data", (chunk: Buffer) => {
        left -= chunk.length;
        if (left < 0) stop();
      });
    };

    parser.on("field", (name, value, nameCut, valueCut) => {
      if (nameCut || valueCut) {
        refuse(new UploadError(413, "A text of the form is far too long.", name));
      } else form.fields.set(name, value);
    });
    parser.on("fieldsLimit", () => refuse(new UploadError(413, "The form has too many fields.")));
    parser.on("filesLimit", () => refuse(new UploadError(413, "The form has too many files.")));
    parser.on("partsLimit", () => {
      refuse(new UploadError(413, "The form has too many parts."));
      // Not read on, as after another refusal: it is the reading that costs.
      stop();
    });
    parser.on("file", (field, stream, name) => {
      const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
      // An error reaches the stream of a part even when nobody reads it.
      stream.on("error", () => {});
      if (!rule || !name || refusal) return void stream.resume();
      if (seen.has(field)) {
        stream.resume();
        return refuse(new UploadError(422, `Please choose one ${field} file only.`, field));
      }
      seen.add(field);
      open.add(stream);
      const written = receiveFile(stream, name, rule, field, room)
        .then((file) => void form.files.set(field, file))
        .catch((error) => {
          refuse(error);
          stream.resume();
        })
        .finally(() => open.delete(stream));
      arriving.push(written);
    });
    parser.on("error", () => refuse(truncated()));
    parser.on("finish", () => finished());
    body.on("error", () => refuse(truncated()));
    body.on("close", () => {
      if (!body.readableEnded) refuse(truncated());
    });
    stopAtShutdown(body, () => {
      refuse(shuttingDown());
      stop();
    });
    if (early) refuse(early);
    body.pipe(parser);
  });

  await Promise.all(arriving);
  if (refusal) throw refusal;
}

function openParser(request: Request): BusboyInstance {
  const headers = {
    "content-type": request.headers.get("Content-Type") ?? "",
  } satisfies IncomingHttpHeaders;
  try {
    return new Busboy({
      headers,
      limits: {
        fieldSize: MAX_TEXT_BYTES,
        fields: MAX_TEXTS,
        files: MAX_FILES,
        parts: MAX_PARTS,
        headerSize: MAX_HEADER_BYTES,
      },
    });
  } catch {
    throw new UploadError(400, "This is not a form that can be read.");
  }
}
