import { once } from "node:events";
import net from "node:net";
import { residentBytes, until, untilStable } from "../process-figures";
import { SiteProcess } from "../site-process";
import type { Report } from "./report";

const STREAMS = 5_000;
/** How many streams to open at the same time. This number is limited by the socket's accept queue. */
const STREAMS_PER_BATCH = 100;
const ROUNDS = 3;
const MAX_KIB_EACH = 40;
const MAX_SECONDS = 1;

/** Measures how much memory each open event stream uses, and how long a change takes to reach all streams. */
export async function run(report: Report): Promise<void> {
  // The site runs behind a proxy, so that each stream can have a different client address.
  const site = new SiteProcess({ PUBLIC_URL: "http://site.example" });
  const sockets: net.Socket[] = [];
  const reached = { count: 0, at: 0 };
  try {
    await site.start();
    const pid = site.child!.pid!;
    // The first streams warm up the site, so that the code and data that are loaded for them aren't counted.
    const warm = await Promise.all(Array.from({ length: 50 }, () => open(site.url, () => {})));
    for (const socket of warm) socket.destroy();
    const idle = await untilStable(() => Math.round(residentBytes(pid) / 1024 / 64)).then(
      () => residentBytes(pid) / 1024,
    );
    const onChange = () => {
      reached.count += 1;
      reached.at = performance.now();
    };
    while (sockets.length < STREAMS) {
      const batch = Array.from({ length: STREAMS_PER_BATCH }, () => open(site.url, onChange));
      sockets.push(...(await Promise.all(batch)));
    }
    await untilStable(() => Math.round(residentBytes(pid) / 1024 / 1024));
    const each = (residentBytes(pid) / 1024 - idle) / STREAMS;
    report.atMost(`memory of each of ${STREAMS} event streams`, each, MAX_KIB_EACH, "KiB");
    let slowest = 0;
    for (let round = 0; round < ROUNDS; round++) {
      reached.count = 0;
      const start = performance.now();
      site.addVideo({ title: `Change ${round}` });
      await until(() => reached.count >= STREAMS);
      slowest = Math.max(slowest, (reached.at - start) / 1000);
    }
    report.atMost(`a change reaches all ${STREAMS}`, slowest, MAX_SECONDS, "s");
  } finally {
    for (const socket of sockets) socket.destroy();
    await site.remove();
  }
}

let opened = 0;

/** Opens a stream that calls `onChange` for each change to the catalogue. */
async function open(url: string, onChange: () => void): Promise<net.Socket> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  socket.setEncoding("latin1");
  opened += 1;
  const address = `10.0.${opened >> 8}.${opened & 255}`;
  socket.write(`GET /events HTTP/1.1\r\nHost: ${hostname}\r\nX-Forwarded-For: ${address}\r\n\r\n`);
  let text = "";
  while (!text.includes("event: hello")) text += (await once(socket, "data"))[0];
  socket.on("data", (part: string) => {
    if (part.includes("event: catalogue")) onChange();
  });
  return socket;
}
