import { formatStorage } from "~/shared/format-bytes";
import { CsvLink } from "./chart";
import type { DiskFigures } from "./disk-days.server";
import { forecastSentence } from "./disk-forecast";

/** What the disk of the uploads holds, and when it will be full. */
export function DiskPanel({ disk, csv }: { disk: DiskFigures | undefined; csv: string }) {
  const usedPercent = disk && (disk.used / Math.max(1, disk.used + disk.free)) * 100;
  return (
    <section
      aria-labelledby="disk"
      className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4 sm:p-5"
    >
      <div className="flex flex-wrap items-start justify-between gap-x-4">
        <div className="min-w-0 flex-1 basis-48">
          <h2 id="disk" className="font-semibold">
            Disk
          </h2>
          <p className="text-sm text-muted">
            The disk that has the uploads, whatever is on it, at the pace of the last 30 days.
          </p>
        </div>
        <CsvLink title="Disk" href={csv} />
      </div>
      {disk ? (
        <>
          <svg
            aria-hidden="true"
            viewBox="0 0 100 1"
            preserveAspectRatio="none"
            className="h-2 w-full overflow-hidden rounded-sm bg-raised"
          >
            <rect width={usedPercent} height="1" className="fill-accent" />
          </svg>
          <dl className="grid grid-cols-1 gap-4 text-sm sm:grid-cols-3">
            <Figure label="Used" value={formatStorage(disk.used)} />
            <Figure label="Free" value={formatStorage(disk.free)} />
            <Figure label="Forecast" value={forecastSentence(disk.forecast)} />
          </dl>
        </>
      ) : (
        <p className="text-sm">The system does not say how full the disk is.</p>
      )}
    </section>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt className="text-muted">{label}</dt>
      <dd className="figures">{value}</dd>
    </div>
  );
}
