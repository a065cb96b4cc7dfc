import http from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";
import type { ByteRange } from "~/shared/byte-range";
import { StorageError } from "./object-store";
import { failureOf } from "./s3-retry.server";

/** Who waits for a picture leaves by then; also what a store that stalls in the middle is given. */
const SILENT_MS = 10_000;
/** Connections that wait for the next request. */
const IDLE_CONNECTIONS = 32;

const agents = {
  "http:": new http.Agent({ keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS }),
  "https:": new https.Agent({ keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS }),
};

export interface Answer {
  body: Readable;
  /** 200, 206, or 404. */
  status: number;
  /** Of the whole object. */
  bytes: number;
}

/**
 * Reads an address with Node's own client, whose body goes to a visitor without a copy: through `fetch`
 * it takes three times the processor.
 *
 * @param signal ends the request and its body when it is aborted.
 * @throws {StorageError} for every answer but these three, and when there is none.
 */
export function readFrom(
  address: string,
  range?: ByteRange,
  signal?: AbortSignal,
): Promise<Answer> {
  const url = new URL(address);
  const protocol = url.protocol === "https:" ? "https:" : "http:";
  const headers = range && { Range: `bytes=${range.start}-${range.end}` };
  return new Promise((resolve, reject) => {
    const request = (protocol === "https:" ? https : http).get(
      url,
      { agent: agents[protocol], headers, timeout: SILENT_MS, signal },
      (answer) => {
        const { statusCode: status = 0 } = answer;
        const total = answer.headers["content-range"]?.split("/")[1];
        const bytes = Number(total ?? answer.headers["content-length"] ?? 0);
        // No byte is asked for that an object does not have, but for the first of an empty one.
        if (status === 416) {
          answer.resume();
          return resolve({ body: answer, status: 200, bytes: 0 });
        }
        if ([200, 206, 404].includes(status)) return resolve({ body: answer, status, bytes });
        answer.resume();
        reject(new StorageError(failureOf(status), `status ${status}`));
      },
    );
    let body: Readable | undefined;
    request.on("response", (answer) => {
      body = answer;
    });
    request.on("timeout", () => {
      // Bytes are here that a visitor does not take: a film that is paused is no silence of the store.
      if (body && body.readableLength > 0) request.setTimeout(SILENT_MS);
      else request.destroy(new Error("no answer in time"));
    });
    request.on("error", (error) => reject(new StorageError("away", error.message)));
  });
}
