import type { Report } from "../report";
import { measureStock } from "./stock-site";
import { MIB, openUploadSite, VIDEO_BYTES } from "./upload-site";

const MAX_CPU_RATIO = 0.25;
const MAX_GROWTH_MIB = 64;

/**
 * Compares uploading 2 GiB through the site's multipart form with uploading it to Remix's own file upload handler in
 * remix-serve.
 */
export async function run(report: Report): Promise<void> {
  const stock = await measureStock("/admin");
  const site = await openUploadSite();
  try {
    const ours = await site.multipart(VIDEO_BYTES);
    report.figure("stock upload handler, 2 GiB", stock.cpuSeconds, "CPU-seconds");
    report.figure("stock upload handler, 2 GiB", stock.seconds, "s");
    report.figure("stock upload handler, memory growth", stock.growthBytes / MIB, "MiB");
    report.figure("multipart form, 2 GiB", ours.cpuSeconds, "CPU-seconds");
    report.figure("multipart form, 2 GiB", ours.seconds, "s");
    const ratio = ours.cpuSeconds / stock.cpuSeconds;
    report.atMost("multipart form, CPU / CPU of the stock handler", ratio, MAX_CPU_RATIO);
    const growth = ours.growthBytes / MIB;
    report.atMost("multipart form, memory growth", growth, MAX_GROWTH_MIB, "MiB");
  } finally {
    await site.close();
  }
}
