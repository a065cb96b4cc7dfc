import fs from "node:fs";
import path from "node:path";
import { type Lock, type Locker, Server, Upload } from "@tus/server";
import { claimBody } from "~/platform/node/request-body.server";
import { settings } from "~/platform/settings.server";
import { EMPTY_FILE, videoSize } from "~/shared/file-rules";
import { processState } from "~db/runtime.server";
import { removeTemporary } from "../files/temporary-files.server";
import { newUploadId, resumableFolder, uploaderOf, uploadRecords } from "./disk-space.server";
import type { ReceivedFile } from "./received-file.server";
import { CHECKSUM_ALGORITHMS, type Incoming, incoming, UploadStore } from "./tus-store.server";
import { UploadError } from "./upload-error.server";

/** Resumable uploads by tus 1.0 (https://tus.io/protocols/resumable-upload), below this address. */
const TUS_PATH = "/admin/uploads";

const MAX_NAME_LENGTH = 300;
const MAX_TERMS_DIGITS = 20;

interface TusEndpoint {
  folder: string;
  store: UploadStore;
  locker: Locker;
  server: Server;
}

const state = processState("tus endpoint", () => ({
  endpoint: undefined as TusEndpoint | undefined,
}));

function tusEndpoint(): TusEndpoint {
  const folder = resumableFolder();
  const { endpoint } = state();
  if (endpoint?.folder === folder) return endpoint;
  fs.mkdirSync(folder, { recursive: true });
  const store = new UploadStore(folder);
  const locker = uploadLocks(() => {
    const request = incoming.getStore();
    return () => request?.reading?.destroy();
  });
  const server = new Server({
    path: TUS_PATH,
    relativeLocation: true,
    datastore: store,
    // No page of another origin has any business here.
    allowedOrigins: [],
    maxSize: () => settings().maxVideoBytes,
    locker,
    namingFunction: (request) => newUploadId(owner(request.headers)),
    onUploadCreate: async (_request, upload) => ({ metadata: await admit(upload) }),
    onResponseError: (_request, error) => {
      if (!(error instanceof UploadError)) return undefined;
      const source = incoming.getStore();
      if (source) source.retryAfterSeconds = error.retryAfterSeconds;
      return { status_code: error.status, body: `${error.message}\n` };
    },
  });
  const opened = { folder, store, locker, server };
  state().endpoint = opened;
  return opened;
}

/** Ours, from the session; never the sender's, because the request is made anew below. */
const OWNER = "x-upload-owner";

function owner(headers: Headers): string {
  return headers.get(OWNER) ?? "";
}

/** Who sends a request of the tus protocol. */
export interface TusSender {
  userId: string;
  /** Whether they may reserve a part of the disk only, see `requireDiskSpace`. */
  isLimited: boolean;
}

/**
 * Answers a request of the tus protocol. Uploads belong to who began them: another user's is not
 * found, whatever is asked of it.
 *
 * @param requireAdmission throws UploadError for an upload that can't begin, by its size (0 if that is announced
 *   later) and the version of the uploaders' terms that its metadata names as `terms`.
 * @param path the address below which the requests come in.
 */
export async function answerTus(
  request: Request,
  { userId, isLimited }: TusSender,
  requireAdmission: Incoming["requireAdmission"],
  path = TUS_PATH,
): Promise<Response> {
  const headers = new Headers(request.headers);
  // Only for who cannot send PATCH (tus 1.0): a GET, whose origin nobody checked, changes nothing.
  const override = request.method === "POST" ? headers.get("X-HTTP-Method-Override") : null;
  const method = override ?? request.method;
  headers.delete("X-HTTP-Method-Override");
  const id = tusUploadId(request, path);
  if (id !== undefined && !isOwn(id, userId))
    return errorResponse(404, "This upload does not exist.\n");
  const checksum = parseChecksum(request.headers.get("Upload-Checksum"));
  if (checksum === "unknown") return errorResponse(400, "This checksum algorithm is not known.\n");

  const source: Incoming = {
    body: () => claimBody(request),
    length: Number(request.headers.get("Content-Length") ?? 0),
    ...(checksum && { checksum }),
    requireAdmission,
    limitedUploader: isLimited ? userId : undefined,
  };
  headers.set(OWNER, userId);
  // Without its body: the store takes that from where it comes in.
  const url = new URL([TUS_PATH, id].filter(Boolean).join("/"), request.url);
  const bare = new Request(url, { method, headers });
  const response = await incoming.run(source, () => tusEndpoint().server.handleWeb(bare));
  const location = response.headers.get("Location");
  if (location) response.headers.set("Location", location.replace(TUS_PATH, path));
  if (method === "OPTIONS") {
    response.headers.set("Tus-Checksum-Algorithm", CHECKSUM_ALGORITHMS.join(","));
  }
  if (source.retryAfterSeconds) {
    response.headers.set("Retry-After", String(source.retryAfterSeconds));
  }
  response.headers.set("Cache-Control", "no-store");
  return response;
}

function errorResponse(status: number, message: string): Response {
  return new Response(message, { status, headers: { "Tus-Resumable": "1.0.0" } });
}

function tusUploadId(request: Request, path: string): string | undefined {
  const { pathname } = new URL(request.url);
  return pathname.slice(path.length).replace(/^\//, "") || undefined;
}

function isOwn(id: string, userId: string): boolean {
  return uploaderOf(id) === userId && /^[\w-]+$/.test(id);
}

function parseChecksum(header: string | null): Incoming["checksum"] | "unknown" {
  if (header === null) return undefined;
  const [algorithm = "", digest = ""] = header.trim().split(/\s+/);
  if (!(CHECKSUM_ALGORITHMS as readonly string[]).includes(algorithm)) return "unknown";
  return { algorithm, digest: Buffer.from(digest, "base64") };
}

/** Before the first byte: whether it can be a video at all. The store asks for the room. */
async function admit(upload: Upload): Promise<Record<string, string>> {
  const { maxBytes, tooLarge } = videoSize(settings());
  if ((upload.size ?? 0) > maxBytes) throw new UploadError(413, tooLarge);
  if (upload.size === 0) throw new UploadError(415, EMPTY_FILE);
  const terms = upload.metadata?.terms?.slice(0, MAX_TERMS_DIGITS);
  incoming.getStore()?.requireAdmission({ terms, bytes: upload.size ?? 0 });
  const filename = (upload.metadata?.filename ?? "").slice(0, MAX_NAME_LENGTH);
  const filetype = (upload.metadata?.filetype ?? "").slice(0, MAX_NAME_LENGTH);
  if (/^(image|audio|text)\//.test(filetype)) {
    throw new UploadError(415, "This file is not a video that the site can read.");
  }
  return { filename, filetype, ...(terms && { terms }) };
}

/**
 * An upload whose bytes are all here.
 *
 * @throws {UploadError} 404 when the user has none of that name, 409 while it is still arriving.
 */
export async function readFinishedUpload(userId: string, id: string): Promise<ReceivedFile> {
  const folder = resumableFolder();
  const record = isOwn(id, userId) ? await uploadRecords(folder).get(id) : undefined;
  if (!record) throw new UploadError(404, "This upload does not exist or has expired.");
  const { filename, terms } = record.metadata ?? {};
  const sha256 = record.metadata?.sha256 ?? (await tusEndpoint().store.lateDigest(id, record));
  if (!sha256) throw new UploadError(409, "This upload has not arrived completely.");
  return {
    path: path.join(folder, id),
    name: filename ?? "",
    bytes: record.size ?? 0,
    sha256,
    ...(terms && { terms }),
  };
}

/** Stores a file that a form has sent as a finished upload, which expires like any other. */
export async function storeFinishedUpload(userId: string, file: ReceivedFile): Promise<string> {
  const folder = resumableFolder();
  await fs.promises.mkdir(folder, { recursive: true });
  const id = newUploadId(userId);
  const metadata = { filename: file.name.slice(0, MAX_NAME_LENGTH), sha256: file.sha256 };
  const record = new Upload({ id, size: file.bytes, offset: 0, metadata });
  await uploadRecords(folder).set(id, record);
  await fs.promises.rename(file.path, path.join(folder, id));
  return id;
}

/** Removes an upload, whether its bytes are still there or not. */
export async function removeUpload(userId: string, id: string): Promise<void> {
  if (!isOwn(id, userId)) return;
  const folder = resumableFolder();
  await removeTemporary(path.join(folder, id));
  await uploadRecords(folder).delete(id);
}

/** Removes all uploads of a user. */
export async function removeUploadsOf(userId: string): Promise<void> {
  const folder = resumableFolder();
  const records = uploadRecords(folder);
  // Without the folder there are no uploads.
  for (const id of await records.list().catch(() => [])) {
    if (!isOwn(id, userId)) continue;
    await removeTemporary(path.join(folder, id));
    await records.delete(id);
  }
}

/** Removes the uploads that received no byte for a day. */
export async function removeExpiredUploads(): Promise<number> {
  return tusEndpoint().store.deleteExpired();
}

interface Held {
  /** Asks the holder to stop, because its sender has come back on another connection. */
  release: () => void;
  released: Promise<void>;
}

const WAIT_MS = 15_000;

/**
 * One request at a time for each upload. A sender that lost its connection is back long before the
 * server learns that the old one is dead: whoever comes later ends the earlier one.
 *
 * @param stop ends the reading of the request that is being handled.
 */
function uploadLocks(stop: () => () => void): Locker {
  const held = new Map<string, Held>();
  return {
    newLock(id): Lock {
      let finish: (() => void) | undefined;
      return {
        async lock() {
          const until = Date.now() + WAIT_MS;
          for (let other = held.get(id); other; other = held.get(id)) {
            other.release();
            if (!(await endsWithin(other.released, until - Date.now()))) {
              throw { status_code: 423, body: "This upload is busy. Try again.\n" };
            }
          }
          const released = new Promise<void>((resolve) => {
            finish = resolve;
          });
          held.set(id, { release: stop(), released });
        },
        async unlock() {
          held.delete(id);
          finish?.();
        },
      };
    },
  };
}

async function endsWithin(promise: Promise<void>, withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, withinMs));
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
