import fs from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type * as Prometheus from "prom-client";

/** Precision of the delay of the event loop. */
const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;

/**
 * What Node tells of the process, by the names that prom-client and other exporters give it. Its own
 * collection also follows each run of the garbage collector, which nothing here asks about.
 *
 * @returns what reads them.
 */
export function runtimeGauges(
  { Counter, Gauge }: typeof Prometheus,
  registers: Prometheus.Registry[],
): () => Promise<void> {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const cpu = new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time, user and system",
    registers,
  });
  const started = gauge("process_start_time_seconds", "When the process started");
  const resident = gauge("process_resident_memory_bytes", "Memory of the process");
  const heap = gauge("nodejs_heap_size_used_bytes", "Of the JavaScript heap, what is used");
  const external = gauge("nodejs_external_memory_bytes", "Of objects outside of the heap");
  const descriptors = gauge("process_open_fds", "Open files and sockets");
  const most = gauge("process_max_fds", "Files and sockets that may be open");
  const delays = ["p50", "p90", "p99", "max"].map((name) =>
    gauge(`nodejs_eventloop_lag_${name}_seconds`, "Delay of the event loop since the last scrape"),
  );
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  started.set(Math.round(Date.now() / 1_000 - process.uptime()));

  return async () => {
    const { user, system } = process.cpuUsage();
    cpu.reset();
    cpu.inc((user + system) / 1e6);
    const { rss, heapUsed, external: outside } = process.memoryUsage();
    resident.set(rss);
    heap.set(heapUsed);
    external.set(outside);
    const found = [50, 90, 99].map((share) => histogram.percentile(share));
    // Each is the time between two ticks, of which the resolution is no delay.
    for (const [index, nanoseconds] of [...found, histogram.max].entries()) {
      const late = nanoseconds / NANOSECONDS - RESOLUTION_MS / 1_000;
      delays[index]?.set(Math.max(0, late));
    }
    histogram.reset();
    // Linux alone has these.
    const open = await fs.readdir("/proc/self/fd").catch(() => undefined);
    if (open) descriptors.set(open.length);
    const limits = await fs.readFile("/proc/self/limits", "utf8").catch(() => "");
    most.set(Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? 0));
  };
}
