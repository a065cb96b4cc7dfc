import { Form, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { formatQuantity } from "~/shared/format";
import { formatStorage } from "~/shared/format-bytes";
import type { PeriodDays } from "~/shared/statistics-address";
import { Button } from "~/ui/button";
import { byteUnit, ColumnChart, Panel } from "./chart";
import type { DiskStatistics, readTransfer, readTransferMonth } from "./daily-records.server";
import { forecastMessage } from "./disk-forecast";
import type { SourceStatistics } from "./statistics";
import { DAY } from "./statistics-panels";

export function TransferByDay({
  transfer: { days, month },
  period,
  csv,
}: {
  transfer: ReturnType<typeof readTransfer>;
  period: PeriodDays;
  /** The URL of the data as CSV. */
  csv: string;
}) {
  const sum = days.reduce((total, { bytes }) => total + bytes, 0);
  return (
    <ColumnChart
      title="Transfer by day"
      summary={`${formatStorage(sum)} of video files sent in the last ${period} days (UTC).${budgetMessage(month)}`}
      headings={["Day", "Transfer"]}
      csv={csv}
      format={formatStorage}
      unit={byteUnit(Math.max(0, ...days.map(({ bytes }) => bytes)))}
      empty="No files sent in this period."
      bars={days.map(({ day, bytes }) => ({
        label: DAY.format(new Date(day)),
        value: bytes,
        text: formatStorage(bytes),
      }))}
    />
  );
}

/** Returns how much of the monthly budget is used. The percentage is rounded down, so 100 means all of it. */
function budgetMessage({ bytes, budget }: ReturnType<typeof readTransferMonth>): string {
  if (budget === undefined) return "";
  const percent = Math.floor((bytes / budget) * 100);
  return ` This month: ${formatStorage(bytes)} of ${formatStorage(budget)} (${percent}%).`;
}

/** The usage of the uploads disk, and the time when the disk will be full. */
export function DiskPanel({ disk, csv }: { disk: DiskStatistics | undefined; csv: string }) {
  const usedPercent = disk && (disk.used / Math.max(1, disk.used + disk.free)) * 100;
  return (
    <Panel
      title="Disk"
      lead="Usage of the uploads disk, and a forecast based on the last 30 days."
      csv={csv}
    >
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
            <Figure label="Forecast" value={forecastMessage(disk.forecast)} />
          </dl>
        </>
      ) : (
        <p className="text-sm">Disk usage isn’t available on this system.</p>
      )}
    </Panel>
  );
}

/** Descriptions of what each value of KEEP_SOURCES does. */
const KEPT: Record<SourceStatistics["keep"], string> = {
  always: "All are kept.",
  "until-converted":
    "Each is deleted six hours after it was last converted, provided that its replacement has been verified.",
  never: "Each is deleted as soon as the playable version is verified.",
};

/** The space that original files take up, and the button that re-encodes outdated streams. */
export function SourcePanel({ figures, action }: { figures: SourceStatistics; action: string }) {
  const { keep, sources, converted, removed, outdated, cut } = figures;
  const busy = useNavigation().formData?.get("intent") === "convert-again";
  const amount = ({ videos, bytes }: SourceStatistics["sources"]) =>
    `${formatQuantity(videos, "video")}, ${formatStorage(bytes)}`;
  return (
    <Panel
      title="Originals"
      lead={`Original files kept next to the playable version. ${KEPT[keep]}`}
    >
      <dl className="grid grid-cols-1 gap-4 text-sm sm:grid-cols-2 lg:grid-cols-4">
        <Figure label="Kept" value={amount(sources)} />
        <Figure
          label={keep === "always" ? "Reclaimable" : "To be reclaimed"}
          value={amount(converted)}
        >
          {keep === "always" &&
            converted.videos > 0 &&
            "The maximum with KEEP_SOURCES=until-converted."}
        </Figure>
        <Figure label="Original deleted" value={formatQuantity(removed, "video")}>
          {removed > 0 && "These videos can’t be re-encoded."}
        </Figure>
        {cut.videos > 0 && (
          <Figure label="Originals of trimmed videos" value={amount(cut)}>
            Kept as long as the video is trimmed.
          </Figure>
        )}
        <Figure label="Encoded with older settings" value={formatQuantity(outdated, "video")}>
          {outdated > 0 && "Their streams don’t match the current settings."}
        </Figure>
      </dl>
      {outdated > 0 && (
        <Form
          method="post"
          action={action}
          preventScrollReset
          className="flex flex-wrap items-center gap-3"
        >
          <input type="hidden" name="intent" value="convert-again" />
          <Button variant="secondary" size="sm" busy={busy} busyLabel="Queuing…">
            Re-encode
          </Button>
          <p className="text-sm text-muted">
            Runs in the background after all other jobs, starting with the newest and most viewed
            videos.
          </p>
        </Form>
      )}
    </Panel>
  );
}

function Figure({
  label,
  value,
  children,
}: {
  label: string;
  value: string;
  children?: ReactNode;
}) {
  return (
    <div>
      <dt className="text-muted">{label}</dt>
      <dd className="figures">{value}</dd>
      {children && <dd className="mt-1 text-xs text-muted">{children}</dd>}
    </div>
  );
}
