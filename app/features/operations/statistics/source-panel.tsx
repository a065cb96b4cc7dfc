import { Form, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { formatQuantity } from "~/shared/format";
import { formatStorage } from "~/shared/format-bytes";
import { Button } from "~/ui/button";
import type { SourceFigures } from "./statistics";

/** What KEEP_SOURCES does, and what another value of it would. */
const KEPT: Record<SourceFigures["keep"], string> = {
  always: "All are kept.",
  "until-converted":
    "Each is removed six hours after its last conversion, if its replacement is verified.",
  never: "Each is removed when the file that is played is verified.",
};

/** What the files take that videos came as, and the button that makes streams anew. */
export function SourcePanel({ figures, action }: { figures: SourceFigures; action: string }) {
  const { keep, sources, converted, removed, outdated, cut } = figures;
  const busy = useNavigation().formData?.get("intent") === "convert-again";
  const amount = ({ videos, bytes }: SourceFigures["sources"]) =>
    `${formatQuantity(videos, "video")}, ${formatStorage(bytes)}`;
  return (
    <section
      aria-labelledby="originals"
      className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4 sm:p-5"
    >
      <div>
        <h2 id="originals" className="font-semibold">
          Originals
        </h2>
        <p className="text-sm text-muted">
          Original files, kept beside the files that are played instead. {KEPT[keep]}
        </p>
      </div>
      <dl className="grid grid-cols-1 gap-4 text-sm sm:grid-cols-2 lg:grid-cols-4">
        <Figure label="Kept" value={amount(sources)} />
        <Figure
          label={keep === "always" ? "Could be freed" : "To be freed"}
          value={amount(converted)}
        >
          {keep === "always" && converted.videos > 0 && "At most, by KEEP_SOURCES=until-converted."}
        </Figure>
        <Figure label="Without original" value={formatQuantity(removed, "video")}>
          {removed > 0 && "They can’t be converted again."}
        </Figure>
        {cut.videos > 0 && (
          <Figure label="Whole films of cuts" value={amount(cut)}>
            Kept for as long as the video is cut.
          </Figure>
        )}
        <Figure label="Other settings" value={formatQuantity(outdated, "video")}>
          {outdated > 0 && "Their streams were made with other settings than today’s."}
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
          <Button variant="secondary" size="sm" busy={busy} busyLabel="Asking...">
            Convert again
          </Button>
          <p className="text-sm text-muted">
            In the background, behind everything else; the newest and the most viewed first.
          </p>
        </Form>
      )}
    </section>
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
