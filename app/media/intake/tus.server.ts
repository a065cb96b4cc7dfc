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

/** The URL path of resumable uploads with tus 1.0 (https://tus.io/protocols/resumable-upload). */
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
    // Don't allow cross-origin requests.
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

/** The header with the session's user. Clients can't set it, because the request is rebuilt below. */
const OWNER = "x-upload-owner";

function owner(headers: Headers): string {
  return headers.get(OWNER) ?? "";
}

/** The sender of a tus request. */
export interface TusSender {
  userId: string;
  /** Whether the sender may reserve only a share of the disk; see `requireDiskSpace`. */
  isLimited: boolean;
}

/**
 * Handles a tus request. Uploads belong to the user who created them and don't exist for other users.
 *
 * @param requireAdmission throws UploadError if an upload must not begin, based on its size (0 if deferred) and the
 *   version of the uploaders' terms in its metadata (`terms`).
 * @param path the URL path of the endpoint.
 */
export async function handleTusRequest(
  request: Request,
  { userId, isLimited }: TusSender,
  requireAdmission: Incoming["requireAdmission"],
  path = TUS_PATH,
): Promise<Response> {
  const headers = new Headers(request.headers);
  // Method overrides for clients that can't send PATCH (tus 1.0). They are allowed only with POST, because the origin
  // of GET requests isn't checked.
  const override = request.method === "POST" ? headers.get("X-HTTP-Method-Override") : null;
  const method = override ?? request.method;
  headers.delete("X-HTTP-Method-Override");
  const id = tusUploadId(request, path);
  if (id !== undefined && !isOwn(id, userId))
    return errorResponse(404, "This upload does not exist.\n");
  const checksum = parseChecksum(request.headers.get("Upload-Checksum"));
  if (checksum === "unknown") return errorResponse(400, "Unsupported checksum algorithm.\n");

  const source: Incoming = {
    body: () => claimBody(request),
    length: Number(request.headers.get("Content-Length") ?? 0),
    ...(checksum && { checksum }),
    requireAdmission,
    limitedUploader: isLimited ? userId : undefined,
  };
  headers.set(OWNER, userId);
  // The rebuilt request has no body, because the store reads the body directly from the connection.
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

/** Rejects an upload before its first byte if it can't be a video. The store checks the available disk space. */
async function admit(upload: Upload): Promise<Record<string, string>> {
  const { maxBytes, tooLarge } = videoSize(settings());
  if ((upload.size ?? 0) > maxBytes) throw new UploadError(413, tooLarge);
  if (upload.size === 0) throw new UploadError(415, EMPTY_FILE);
  const terms = upload.metadata?.terms?.slice(0, MAX_TERMS_DIGITS);
  incoming.getStore()?.requireAdmission({ terms, bytes: upload.size ?? 0 });
  const filename = (upload.metadata?.filename ?? "").slice(0, MAX_NAME_LENGTH);
  const filetype = (upload.metadata?.filetype ?? "").slice(0, MAX_NAME_LENGTH);
  if (/^(image|audio|text)\//.test(filetype)) {
    throw new UploadError(415, "This file isn’t a supported video.");
  }
  return { filename, filetype, ...(terms && { terms }) };
}

/**
 * Returns a completed upload.
 *
 * @throws {UploadError} 404 if the user has no such upload, 409 if it isn't complete.
 */
export async function readFinishedUpload(userId: string, id: string): Promise<ReceivedFile> {
  const folder = resumableFolder();
  const record = isOwn(id, userId) ? await uploadRecords(folder).get(id) : undefined;
  if (!record) throw new UploadError(404, "This upload does not exist or has expired.");
  const { filename, terms } = record.metadata ?? {};
  const sha256 = record.metadata?.sha256 ?? (await tusEndpoint().store.lateDigest(id, record));
  if (!sha256) throw new UploadError(409, "This upload is not complete.");
  return {
    path: path.join(folder, id),
    name: filename ?? "",
    bytes: record.size ?? 0,
    sha256,
    ...(terms && { terms }),
  };
}

/** Stores a file from a form as a completed upload, which expires like any other. */
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

/** Removes an upload, whether or not its file still exists. */
export async function removeUpload(userId: string, id: string): Promise<void> {
  if (!isOwn(id, userId)) return;
  const folder = resumableFolder();
  await removeTemporary(path.join(folder, id));
  await uploadRecords(folder).delete(id);
}

/** Removes all of a user's uploads. */
export async function removeUploadsOf(userId: string): Promise<void> {
  const folder = resumableFolder();
  const records = uploadRecords(folder);
  // If the folder doesn't exist, there are no uploads.
  for (const id of await records.list().catch(() => [])) {
    if (!isOwn(id, userId)) continue;
    await removeTemporary(path.join(folder, id));
    await records.delete(id);
  }
}

/** Removes uploads that haven't received any bytes for a day. */
export async function removeExpiredUploads(): Promise<number> {
  return tusEndpoint().store.deleteExpired();
}

interface HeldLock {
  /** Stops the request that holds the lock, because its client has reconnected. */
  release: () => void;
  released: Promise<void>;
}

const WAIT_MS = 15_000;

/**
 * Allows one request at a time for each upload. Clients reconnect long before the server notices that the old
 * connection is dead, so a new request ends the previous one.
 *
 * @param stop stops reading the current request.
 */
function uploadLocks(stop: () => () => void): Locker {
  const held = new Map<string, HeldLock>();
  return {
    newLock(id): Lock {
      let finish: (() => void) | undefined;
      return {
        async lock() {
          const until = Date.now() + WAIT_MS;
          for (let other = held.get(id); other; other = held.get(id)) {
            other.release();
            if (!(await settlesWithin(other.released, until - Date.now()))) {
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

async function settlesWithin(promise: Promise<void>, withinMs: number): Promise<boolean> {
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
