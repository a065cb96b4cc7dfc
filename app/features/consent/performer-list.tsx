import { Form, Link } from "@remix-run/react";
import { UserRoundCheck } from "lucide-react";
import { formatQuantity } from "~/shared/format";
import { Badge } from "~/ui/badge";
import { Button, ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { Field } from "~/ui/forms/field";
import type { PerformerPage } from "./performers.server";

/** The performers by stage name, with a field that finds them. */
export function PerformerList({ page, search }: { page: PerformerPage; search: string }) {
  const hrefOf = (after: string) =>
    `/admin/consent?${new URLSearchParams({ ...(search && { search }), after })}`;
  return (
    <section aria-labelledby="performers" className="flex flex-col gap-4">
      <h2 id="performers" className="text-lg font-semibold">
        Performers
      </h2>
      <div className="flex flex-wrap items-end gap-3">
        <Form method="get" role="search" className="flex grow flex-wrap items-end gap-3">
          <div className="min-w-0 grow basis-48">
            <Field label="Stage name" name="search" type="search" defaultValue={search} />
          </div>
          <Button variant="secondary">Find</Button>
        </Form>
        <ButtonLink to="/admin/consent/new">Add a performer</ButtonLink>
      </div>
      {page.performers.length === 0 ? (
        <EmptyState
          icon={<UserRoundCheck />}
          title={search ? "Nobody has such a stage name." : "There are no performers yet."}
        >
          {search ? "Try the beginning of another name." : "Add whoever is shown in your videos."}
        </EmptyState>
      ) : (
        <ul aria-label="Performers" className="ruled rounded-lg border border-line bg-surface">
          {page.performers.map(({ id, stageNames, checkedOn, documents, videos }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 p-2 sm:px-4">
              <Link
                to={`/admin/consent/${id}`}
                dir="auto"
                className="flex min-h-11 min-w-0 grow basis-40 items-center font-medium hover:text-accent"
              >
                <span className="min-w-0 wrap-anywhere">{stageNames.join(", ")}</span>
              </Link>
              <span className="text-sm text-muted figures">
                {formatQuantity(documents, "document")}, {formatQuantity(videos, "video")}
              </span>
              <Badge tone={checkedOn ? "good" : "warn"}>
                {checkedOn ? "Checked" : "Not checked"}
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {page.next && (
        <ButtonLink variant="secondary" to={hrefOf(page.next)} className="self-center">
          Next performers
        </ButtonLink>
      )}
    </section>
  );
}
