import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/meta/private-meta";
import { SafetyLinks } from "~/features/moderation/reports/safety-links";
import { assertAllowed, requirePermission } from "~/features/permissions/guard.server";
import { usePermissions } from "~/features/permissions/use-permissions";
import { AdminLinks } from "~/features/site/admin-navigation";
import { unlessBusy } from "~/platform/busy.server";
import { type Failure, failure } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { settings } from "~/platform/settings.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { formatQuantity } from "~/shared/format";
import { AnswerFailure } from "~/ui/feedback/failure-notice";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { endingSoon } from "../ending.server";
import { hiddenVideos, hideLacking, lacking, releaseHidden } from "../hide-lacking.server";
import { PerformerList } from "../performer-list";
import { listPerformers } from "../performers.server";
import { EndingRecords, HiddenForConsent, LackingVideos } from "../video-lists";

export const meta = privateMeta("Consent");

const HERE = "/admin/consent";

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, HERE);
  const asked = new URL(request.url).searchParams;
  const search = (asked.get("search") ?? "").slice(0, 100);
  return {
    search,
    page: listPerformers(search, asked.get("after") ?? ""),
    ending: endingSoon(),
    lacking: settings().requireConsent ? await lacking() : undefined,
    hidden: hiddenVideos(),
  };
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, HERE);
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  const intent = form.get("intent");
  if (intent === "hide-lacking") {
    assertAllowed(user, "/admin/consent hide-lacking");
    if (!form.get("sure")) return notTicked();
    const hidden = await unlessBusy(hideLacking(user.id));
    throw redirectWithToast(HERE, {
      title: "Videos Hidden",
      description: `${formatQuantity(hidden, "video")} without a valid record ${hidden === 1 ? "is" : "are"} hidden now.`,
      kind: "success",
    });
  }
  if (intent === "undo-hiding") {
    assertAllowed(user, "/admin/consent undo-hiding");
    const source = String(form.get("source") ?? "");
    const isBatch = hiddenVideos().find((each) => each.source === source)?.isBatch;
    if (isBatch === false && !form.get("sure")) return notTicked();
    const shown = await unlessBusy(releaseHidden(source, user.id));
    if (shown === undefined) {
      const detail = "This was already undone, or the videos have valid records now.";
      const error = failure(404, "Nothing was changed.", { detail });
      return data({ error }, { status: error.status });
    }
    throw redirectWithToast(HERE, {
      title: "Videos Published",
      description: `${formatQuantity(shown, "video")} ${shown === 1 ? "is" : "are"} public again.`,
      kind: "success",
    });
  }
  const error = failure(400, "This form is not complete.");
  return data({ error }, { status: error.status });
}

function notTicked() {
  const error = failure(422, "Nothing was changed.", { detail: "Tick the box first." });
  return data({ error }, { status: error.status });
}

export default function Consent() {
  const { search, page, ending, lacking, hidden } = useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: Failure }>()?.error;
  const may = usePermissions();
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h1 className="text-xl font-semibold">Consent</h1>
          <p className="text-sm text-muted">Who is shown, and what proves their age and consent.</p>
        </div>
        <AdminLinks />
      </header>
      <SafetyLinks />
      <AnswerFailure error={error} />
      <EndingRecords ending={ending} />
      <PerformerList page={page} search={search} />
      <HiddenForConsent hidden={hidden} mayUndo={may("/admin/consent undo-hiding")} />
      {lacking ? (
        <LackingVideos lacking={lacking} mayHide={may("/admin/consent hide-lacking")} />
      ) : (
        <p className="text-sm text-muted">
          Videos can be published without a consent record. To require one, set REQUIRE_CONSENT=on.
        </p>
      )}
    </div>
  );
}
