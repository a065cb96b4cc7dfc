import { Link } from "@remix-run/react";
import { UserRoundCheck } from "lucide-react";
import { usePermissions } from "~/features/permissions/use-permissions";
import { formatQuantity } from "~/shared/format";
import { type ConsentState, consentHref } from "./consent";

/**
 * The state of a video's consent record, with a link to the record for users who may change it. Renders nothing if no
 * record is required.
 */
export function ConsentLine({
  id,
  title,
  state,
}: {
  id: string;
  title: string;
  state: ConsentState | undefined;
}) {
  const may = usePermissions();
  if (!state) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-4 text-sm text-muted">
      <span className="inline-flex min-w-0 items-start gap-1.5">
        <UserRoundCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0">{messageOf(state)}</span>
      </span>
      {may("/admin/videos/:id/consent") && (
        <Link
          to={consentHref(id)}
          aria-label={`${state.kind === "lacking" ? "Complete" : "View"} the consent record of ${title}`}
          className="inline-flex min-h-11 items-center text-accent underline underline-offset-4 mouse:min-h-0"
        >
          {state.kind === "lacking" ? "Complete" : "View"}
        </Link>
      )}
    </p>
  );
}

function messageOf(state: ConsentState): string {
  switch (state.kind) {
    case "complete":
      return "The consent record is complete.";
    case "expiring":
      return `The consent record expires in ${formatQuantity(state.days, "day")}.`;
    case "lacking":
      return state.message;
  }
}
