import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import { mp4Clip } from "../../clips";
import { cpuSeconds, residentBytes } from "../../process-figures";
import { multipartParts } from "../../site-client";

const BLOCK = Buffer.alloc(256 * 1024);
const SAMPLE_INTERVAL_MS = 50;

export interface UploadCost {
  cpuSeconds: number;
  /** How much the process's resident memory grew at its peak during the upload. */
  growthBytes: number;
  seconds: number;
  status: number;
  location: string;
}

/** Generates a video that is `bytes` long: a real clip, followed by media data that isn't part of any track. */
function* videoOf(bytes: number, mark: number): Generator<Buffer> {
  const clip = fs.readFileSync(mp4Clip(5));
  const padding = bytes - clip.length;
  const header = Buffer.alloc(16);
  header.writeUInt32BE(padding, 0);
  header.write("mdat", 4, "latin1");
  // The number makes each uploaded file unique.
  header.writeUInt32BE(mark, 8);
  yield Buffer.concat([clip, header]);
  for (let remaining = padding - header.length; remaining > 0; remaining -= BLOCK.length) {
    yield remaining < BLOCK.length ? BLOCK.subarray(0, remaining) : BLOCK;
  }
}

let mark = Date.now() % 2 ** 31;

/** Sends a video, and measures the cost of receiving it for the process `pid`. */
export async function sendVideo(
  pid: number,
  url: string,
  bytes: number,
  headers: Record<string, string>,
  texts?: Record<string, string>,
): Promise<UploadCost> {
  const { before, after } = texts ? multipartParts(texts) : { before: "", after: "" };
  const startCpu = cpuSeconds(pid);
  const startBytes = residentBytes(pid);
  const startTime = performance.now();
  let peak = startBytes;
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentBytes(pid));
  }, SAMPLE_INTERVAL_MS);

  const request = http.request(url, {
    method: texts ? "POST" : "PATCH",
    headers: { ...headers, "Content-Length": String(before.length + bytes + after.length) },
    agent: false,
  });
  const responded = once(request, "response") as Promise<[http.IncomingMessage]>;
  request.write(before);
  mark += 1;
  for (const block of videoOf(bytes, mark)) {
    if (!request.write(block)) await once(request, "drain");
  }
  request.end(after);
  const [response] = await responded;
  response.resume();
  clearInterval(sampling);
  return {
    cpuSeconds: cpuSeconds(pid) - startCpu,
    growthBytes: peak - startBytes,
    seconds: (performance.now() - startTime) / 1000,
    status: response.statusCode ?? 0,
    location: String(response.headers.location ?? ""),
  };
}
