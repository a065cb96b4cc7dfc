import type { Report } from "../report";
import { measureStock } from "./stock-site";
import { MIB, openUploadSite, VIDEO_BYTES } from "./upload-site";

const MAX_CPU_SHARE = 0.25;
const MAX_GROWN_MIB = 64;

/** The multipart form with 2 GiB, beside Remix's own file upload handler in remix-serve. */
export async function run(report: Report): Promise<void> {
  const stock = await measureStock("/admin");
  const site = await openUploadSite();
  try {
    const ours = await site.multipart(VIDEO_BYTES);
    report.figure("stock upload handler, 2 GiB", stock.cpuSeconds, "CPU-seconds");
    report.figure("stock upload handler, 2 GiB", stock.seconds, "s");
    report.figure("stock upload handler, memory grown", stock.grownBytes / MIB, "MiB");
    report.figure("multipart form, 2 GiB", ours.cpuSeconds, "CPU-seconds");
    report.figure("multipart form, 2 GiB", ours.seconds, "s");
    const share = ours.cpuSeconds / stock.cpuSeconds;
    report.atMost("multipart form, CPU beside the stock handler", share, MAX_CPU_SHARE);
    const grown = ours.grownBytes / MIB;
    report.atMost("multipart form, memory grown", grown, MAX_GROWN_MIB, "MiB");
  } finally {
    await site.close();
  }
}
