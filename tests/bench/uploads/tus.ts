import type { Report } from "../report";
import { measureStock } from "./stock-site";
import { MIB, openUploadSite, VIDEO_BYTES } from "./upload-site";

const MAX_CPU_SHARE = 0.5;
const MAX_GROWN_MIB = 64;

/**
 * Resumable upload of 2 GiB, beside a multipart upload of the usual parts (busboy, a digest, a
 * pipeline) in the same run. Our own form, which writes and hashes like the resumable upload, stands
 * beside both.
 */
export async function run(report: Report): Promise<void> {
  const usual = await measureStock("/busboy");
  const site = await openUploadSite();
  try {
    const form = await site.multipart(VIDEO_BYTES);
    const tus = await site.resumable(VIDEO_BYTES);
    report.figure("busboy, a digest and a pipeline, 2 GiB", usual.cpuSeconds, "CPU-seconds");
    report.figure("our multipart form, 2 GiB", form.cpuSeconds, "CPU-seconds");
    report.figure("tus, 2 GiB", tus.cpuSeconds, "CPU-seconds");
    report.figure("tus, 2 GiB", tus.seconds, "s");
    const share = tus.cpuSeconds / usual.cpuSeconds;
    report.atMost("tus, CPU beside the usual multipart upload", share, MAX_CPU_SHARE);
    report.figure("tus, CPU beside our form", tus.cpuSeconds / form.cpuSeconds, "times");
    report.atMost("tus, memory grown", tus.grownBytes / MIB, MAX_GROWN_MIB, "MiB");
  } finally {
    await site.close();
  }
}
