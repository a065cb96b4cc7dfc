import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { Form, useLoaderData } from "@remix-run/react";
import { UserRoundCheck } from "lucide-react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { SafetyLinks } from "~/features/moderation/reports/safety-links";
import {
  assertAllowed,
  requirePermission,
  type SessionUser,
} from "~/features/permissions/guard.server";
import { usePermissions } from "~/features/permissions/use-permissions";
import { AdminPage } from "~/features/site/admin-navigation";
import { unlessBusy } from "~/platform/busy.server";
import { type Failure, failure, INCOMPLETE } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { settings } from "~/platform/settings.server";
import { readSmallForm } from "~/platform/small-form.server";
import { respondToForm } from "~/platform/toast.server";
import { formatQuantity } from "~/shared/format";
import { Badge } from "~/ui/badge";
import { Button, ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { CheckField, Field } from "~/ui/forms/field";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { consentHref } from "../consent";
import {
  type ExpiringRecord,
  expiringSoon,
  type HiddenVideos,
  hiddenVideos,
  hideVideosWithoutRecord,
  releaseHidden,
  videosWithoutRecord,
} from "../consent-holds.server";
import type { VideosWithoutRecord } from "../missing-records.server";
import { RowLink } from "../performer-panels";
import { listPerformers, type PerformerPage } from "../performers.server";

export const meta = privateMeta("Consent");

const HERE = "/admin/consent";

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, HERE);
  const params = new URL(request.url).searchParams;
  const search = (params.get("search") ?? "").slice(0, 100);
  return {
    search,
    page: listPerformers(search, params.get("after") ?? ""),
    expiring: expiringSoon(),
    lacking: settings().requireConsent ? await videosWithoutRecord() : undefined,
    hidden: hiddenVideos(),
  };
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, HERE);
  requireOwnOrigin(request);
  return respondToForm(HERE, await unlessBusy(perform(user, await readSmallForm(request))));
}

const NOT_SURE = failure(422, "Nothing was changed.", { detail: "Check the box to confirm." });

async function perform(user: SessionUser, form: FormData): Promise<Failure | ToastMessage> {
  const intent = form.get("intent");
  if (intent === "hide-lacking") {
    assertAllowed(user, "/admin/consent hide-lacking");
    if (!form.get("sure")) return NOT_SURE;
    const hidden = await hideVideosWithoutRecord(user.id);
    return success(
      "Videos hidden",
      `${formatQuantity(hidden, "video")} without a valid record ${hidden === 1 ? "is" : "are"} now hidden.`,
    );
  }
  if (intent === "undo-hiding") {
    assertAllowed(user, "/admin/consent undo-hiding");
    const source = String(form.get("source") ?? "");
    const isBatch = hiddenVideos().find((each) => each.source === source)?.isBatch;
    if (isBatch === false && !form.get("sure")) return NOT_SURE;
    const shown = await releaseHidden(source, user.id);
    if (shown === undefined) {
      const detail = "This was already undone, or the videos now have valid records.";
      return failure(404, "Nothing was changed.", { detail });
    }
    return success(
      "Videos published",
      `${formatQuantity(shown, "video")} ${shown === 1 ? "is" : "are"} public again.`,
    );
  }
  return INCOMPLETE;
}

export default function Consent() {
  const { search, page, expiring, lacking, hidden } = useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: Failure }>()?.error;
  const may = usePermissions();
  return (
    <AdminPage title="Consent" lead="Performers and their age and consent records." error={error}>
      <SafetyLinks />
      <ExpiringRecords expiring={expiring} />
      <PerformerList page={page} search={search} />
      <HiddenForConsent hidden={hidden} mayUndo={may("/admin/consent undo-hiding")} />
      {lacking ? (
        <WithoutRecordPanel lacking={lacking} mayHide={may("/admin/consent hide-lacking")} />
      ) : (
        <p className="text-sm text-muted">
          Videos can be published without a consent record. To require one, set REQUIRE_CONSENT=on.
        </p>
      )}
    </AdminPage>
  );
}

function PerformerList({ page, search }: { page: PerformerPage; search: string }) {
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
          <Button variant="secondary">Search</Button>
        </Form>
        <ButtonLink to="/admin/consent/new">Add performer</ButtonLink>
      </div>
      {page.performers.length === 0 ? (
        <EmptyState
          icon={<UserRoundCheck />}
          title={search ? "No performers match this name." : "No performers yet."}
        >
          {search
            ? "Try the beginning of another stage name."
            : "Add everyone who is shown in your videos."}
        </EmptyState>
      ) : (
        <ul aria-label="Performers" className="ruled rounded-lg border border-line bg-surface">
          {page.performers.map(({ id, stageNames, checkedOn, documents, videos }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 p-2 sm:px-4">
              <RowLink to={`/admin/consent/${id}`}>{stageNames.join(", ")}</RowLink>
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

/** The public videos without a valid record, with a form that hides all of them. */
function WithoutRecordPanel({
  lacking: { total, first },
  mayHide,
}: {
  lacking: VideosWithoutRecord;
  mayHide: boolean;
}) {
  return (
    <PageSection id="lacking" title="Public videos without a consent record">
      <p className="text-sm text-muted">
        {total === 0
          ? "Every public video has a valid record."
          : `${formatQuantity(total, "public video")} ${total === 1 ? "doesn’t" : "don’t"} have a valid record.`}{" "}
        New videos can’t be published without a valid record. Videos that were already public stay
        public until you hide them.
      </p>
      {total > 0 && (
        <VideoLinks
          videos={first}
          label="Videos without a valid record"
          more={total - first.length}
        />
      )}
      {total > 0 && mayHide && (
        <Form
          method="post"
          action="/admin/consent"
          preventScrollReset
          className="flex flex-col items-start gap-3"
        >
          <CheckField name="sure" required>
            Hide {formatQuantity(total, "video")} from visitors. You can undo this later.
          </CheckField>
          <Button name="intent" value="hide-lacking" variant="danger">
            Hide {formatQuantity(total, "video")}
          </Button>
        </Form>
      )}
    </PageSection>
  );
}

/** The groups of videos that were hidden because they didn't have a valid record, and that can be released. */
function HiddenForConsent({ hidden, mayUndo }: { hidden: HiddenVideos[]; mayUndo: boolean }) {
  if (hidden.length === 0) return null;
  return (
    <PageSection id="hidden" title="Hidden without a valid record">
      <ul className="ruled text-sm">
        {hidden.map(({ source, videos, since, isBatch }) => (
          <li key={source} className="flex flex-wrap items-center justify-between gap-x-4 py-2">
            <span>
              {formatQuantity(videos, "video")},{" "}
              {isBatch ? "hidden together on " : "on hold without the required record since "}
              <Time value={since} />
            </span>
            {mayUndo && (
              <Form
                method="post"
                action="/admin/consent"
                preventScrollReset
                className="flex flex-wrap items-center gap-3"
              >
                <input type="hidden" name="source" value={source} />
                {!isBatch && (
                  <CheckField name="sure" required>
                    Make these videos public without a valid record
                  </CheckField>
                )}
                <Button name="intent" value="undo-hiding" variant="secondary">
                  {isBatch ? "Undo" : `Release ${formatQuantity(videos, "video")}`}
                </Button>
              </Form>
            )}
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

function ExpiringRecords({ expiring }: { expiring: ExpiringRecord[] }) {
  if (expiring.length === 0) return null;
  return (
    <PageSection id="expiring" title="Records that expire within 30 days">
      <p className="text-sm text-muted">A video goes on hold on the day its record expires.</p>
      <VideoLinks videos={expiring} label="Expiring records" />
    </PageSection>
  );
}

function VideoLinks({
  videos,
  label,
  more = 0,
}: {
  videos: { id: string; title: string; endsOn?: string }[];
  label: string;
  more?: number;
}) {
  return (
    <ul aria-label={label} className="ruled text-sm">
      {videos.map(({ id, title, endsOn }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-3">
          <RowLink to={consentHref(id)}>{title}</RowLink>
          {endsOn && <time className="text-muted figures">{endsOn}</time>}
        </li>
      ))}
      {more > 0 && <li className="py-3 text-muted">and {formatQuantity(more, "other")}</li>}
    </ul>
  );
}
