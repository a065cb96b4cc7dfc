import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bytesRead, cpuSeconds, residentBytes, untilStable } from "../process-figures";
import { SiteProcess } from "../site-process";
import { median, type Report } from "./report";

const MIB = 1024 ** 2;
const FILE_BYTES = 1024 * MIB;
const ROUNDS = 3;
const STALLED_CLIENTS = 500;
const MAX_CPU_RATIO = 1;
const MAX_STALLED_MIB = 100;

interface Contender {
  pid: number;
  url: string;
}

/**
 * Compares 1 GiB downloads from the site with downloads through Express's `send`, and measures the memory used for
 * clients that have stopped reading.
 */
export async function run(report: Report): Promise<void> {
  const site = new SiteProcess();
  let express: ChildProcess | undefined;
  try {
    await site.start();
    const file = path.join(site.uploads, "videos/u/1700000000000.mp4");
    const address = site.addFile("videos", "u/1700000000000.mp4", "");
    fill(file);
    site.addVideo({ video_url: address });
    const ours = { pid: site.child!.pid!, url: site.url + address };
    const child = spawn(process.execPath, [
      fileURLToPath(new URL("express-send.mjs", import.meta.url)),
      file,
    ]);
    express = child;
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    const theirs = { pid: child.pid!, url: `http://127.0.0.1:${String(port).trim()}/file` };
    await compare(report, ours, theirs);
    await stall(report, ours);
  } finally {
    express?.kill();
    await site.remove();
  }
}

function fill(file: string): void {
  const block = randomBytes(MIB);
  const descriptor = fs.openSync(file, "w");
  for (let written = 0; written < FILE_BYTES; written += MIB) fs.writeSync(descriptor, block);
  fs.closeSync(descriptor);
}

async function compare(report: Report, ours: Contender, theirs: Contender): Promise<void> {
  const figures = { ours: [] as Figures[], theirs: [] as Figures[] };
  await measure(ours);
  await measure(theirs);
  for (let round = 0; round < ROUNDS; round++) {
    figures.ours.push(await measure(ours));
    figures.theirs.push(await measure(theirs));
  }
  const middle = (list: Figures[], key: keyof Figures) => median(list.map((each) => each[key]));
  const cpu = { ours: middle(figures.ours, "cpu"), theirs: middle(figures.theirs, "cpu") };
  report.figure("throughput", middle(figures.ours, "speed"), "MiB/s");
  report.figure("throughput of Express's send", middle(figures.theirs, "speed"), "MiB/s");
  report.figure("CPU", cpu.ours, "s/GiB");
  report.figure("CPU of Express's send", cpu.theirs, "s/GiB");
  report.atMost("CPU / CPU of Express's send", cpu.ours / cpu.theirs, MAX_CPU_RATIO);
}

interface Figures {
  cpu: number;
  speed: number;
}

async function measure({ pid, url }: Contender): Promise<Figures> {
  const cpu = cpuSeconds(pid);
  const start = performance.now();
  await download(url);
  const seconds = (performance.now() - start) / 1000;
  return { cpu: cpuSeconds(pid) - cpu, speed: FILE_BYTES / MIB / seconds };
}

/** Downloads a file with a single buffer, so that the client isn't the bottleneck. */
async function download(url: string): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  let received = 0;
  const buffer = Buffer.allocUnsafe(MIB);
  const callback = (bytes: number) => {
    received += bytes;
    return true;
  };
  const socket = net.connect({ host: hostname, port: Number(port), onread: { buffer, callback } });
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`);
  await once(socket, "close");
  if (received < FILE_BYTES) throw new Error(`Only ${received} bytes of ${url} were received.`);
}

async function stall(report: Report, { pid, url }: Contender): Promise<void> {
  const idle = await untilStable(() => Math.round(residentBytes(pid) / MIB));
  const { hostname, port, pathname } = new URL(url);
  const clients = await Promise.all(
    Array.from({ length: STALLED_CLIENTS }, async () => {
      const socket = net.connect({ host: hostname, port: Number(port) });
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
      await once(socket, "data");
      return socket.pause();
    }),
  );
  // The byte count is rounded, because it includes the few bytes that are read to wake up a thread of the process.
  await untilStable(() => Math.round(bytesRead(pid) / MIB));
  const stalled = residentBytes(pid) / MIB;
  for (const socket of clients) socket.destroy();
  report.figure("memory when idle", idle, "MiB");
  report.atMost(
    `memory of ${STALLED_CLIENTS} stalled clients`,
    stalled - idle,
    MAX_STALLED_MIB,
    "MiB",
  );
}
