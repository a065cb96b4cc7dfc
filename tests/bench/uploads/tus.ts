import type { Report } from "../report";
import { measureStock } from "./stock-site";
import { MIB, openUploadSite, VIDEO_BYTES } from "./upload-site";

const MAX_CPU_RATIO = 0.5;
const MAX_GROWTH_MIB = 64;

/**
 * Compares a resumable upload of 2 GiB with a multipart upload that uses common packages (busboy, a digest, a
 * pipeline), and with an upload through the site's own form, which writes and hashes data in the same way as a
 * resumable upload.
 */
export async function run(report: Report): Promise<void> {
  const common = await measureStock("/busboy");
  const site = await openUploadSite();
  try {
    const form = await site.multipart(VIDEO_BYTES);
    const tus = await site.resumable(VIDEO_BYTES);
    report.figure("busboy, a digest and a pipeline, 2 GiB", common.cpuSeconds, "CPU-seconds");
    report.figure("the site's multipart form, 2 GiB", form.cpuSeconds, "CPU-seconds");
    report.figure("tus, 2 GiB", tus.cpuSeconds, "CPU-seconds");
    report.figure("tus, 2 GiB", tus.seconds, "s");
    const ratio = tus.cpuSeconds / common.cpuSeconds;
    report.atMost("tus, CPU / CPU of busboy", ratio, MAX_CPU_RATIO);
    report.figure("tus, CPU / CPU of the site's form", tus.cpuSeconds / form.cpuSeconds, "");
    report.atMost("tus, memory growth", tus.growthBytes / MIB, MAX_GROWTH_MIB, "MiB");
  } finally {
    await site.close();
  }
}
