import { ChartColumn } from "lucide-react";
import type { ComponentProps } from "react";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { PageFailure } from "~/ui/feedback/failure-notice";

/** What a page of figures shows if they can't be read. */
export function NoFigures({
  toast,
  retry,
}: ComponentProps<typeof PageFailure> & { retry: string }) {
  return (
    <>
      <PageFailure toast={toast} />
      <EmptyState
        icon={<ChartColumn />}
        title="There are no figures to show."
        action={
          <ButtonLink to={retry} reloadDocument>
            Retry
          </ButtonLink>
        }
      />
    </>
  );
}
