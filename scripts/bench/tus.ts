import type { Report } from "./report";
import { MIB, openUploadSite, VIDEO_BYTES } from "./upload-site";

const MOST_CPU_SHARE = 0.5;
const MOST_GROWN_MIB = 64;

/** The resumable road with 2 GiB, beside the multipart form in the same run. */
export async function run(report: Report): Promise<void> {
  const site = await openUploadSite();
  try {
    const form = await site.multipart(VIDEO_BYTES);
    const tus = await site.resumable(VIDEO_BYTES);
    report.figure("multipart form, 2 GiB", form.cpuSeconds, "CPU-seconds");
    report.figure("tus, 2 GiB", tus.cpuSeconds, "CPU-seconds");
    report.figure("tus, 2 GiB", tus.seconds, "s");
    const share = tus.cpuSeconds / form.cpuSeconds;
    report.atMost("tus, CPU beside the multipart form", share, MOST_CPU_SHARE);
    report.atMost("tus, memory grown", tus.grownBytes / MIB, MOST_GROWN_MIB, "MiB");
  } finally {
    await site.close();
  }
}
