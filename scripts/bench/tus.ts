import type { Report } from "./report";
import { measureStock } from "./stock-site";
import { MIB, openUploadSite, VIDEO_BYTES } from "./upload-site";

const MOST_CPU_SHARE = 0.5;
const MOST_GROWN_MIB = 64;

/**
 * The resumable road with 2 GiB, beside our multipart form in the same run. The form writes as the
 * resumable road does, and half of both is hashing and receiving, so the limit is not kept; what
 * the usual parts of a multipart road cost, without hashing, stands beside it.
 */
export async function run(report: Report): Promise<void> {
  const usual = await measureStock("/busboy");
  const site = await openUploadSite();
  try {
    const form = await site.multipart(VIDEO_BYTES);
    const tus = await site.resumable(VIDEO_BYTES);
    report.figure("busboy and a pipeline, 2 GiB", usual.cpuSeconds, "CPU-seconds");
    report.figure("our multipart form, 2 GiB", form.cpuSeconds, "CPU-seconds");
    report.figure("tus, 2 GiB", tus.cpuSeconds, "CPU-seconds");
    report.figure("tus, 2 GiB", tus.seconds, "s");
    const usually = tus.cpuSeconds / usual.cpuSeconds;
    report.figure("tus, CPU beside busboy and a pipeline", usually, "times");
    const share = tus.cpuSeconds / form.cpuSeconds;
    report.atMost("tus, CPU beside the multipart form", share, MOST_CPU_SHARE);
    report.atMost("tus, memory grown", tus.grownBytes / MIB, MOST_GROWN_MIB, "MiB");
  } finally {
    await site.close();
  }
}
