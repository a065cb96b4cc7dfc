import type { LoaderFunctionArgs } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { History } from "lucide-react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminPage } from "~/features/site/admin-navigation";
import { listActivities } from "~/platform/activity/activity.server";
import {
  activityMessage,
  DELETED_ACCOUNT,
  unknownActor,
} from "~/platform/activity/activity-labels";
import { EmptyState } from "~/ui/empty-state";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";

export const meta = privateMeta("Activity");

const PAGE_SIZE = 50;

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/activity");
  const before = new URL(request.url).searchParams.get("before") ?? "";
  const activities = await listActivities({
    before: /^\d{1,15}$/.test(before) ? Number(before) : undefined,
    limit: PAGE_SIZE,
  });
  return { activities };
}

const TIME = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

export default function Activity() {
  useLiveRefresh({ jobs: true });
  const { activities } = useLoaderData<typeof loader>();
  const last = activities.at(-1);
  return (
    <AdminPage title="Activity" lead="All activity in the studio. Times are in UTC.">
      {activities.length === 0 ? (
        <EmptyState icon={<History />} title="No activity yet." />
      ) : (
        <ol className="flex flex-col text-sm">
          {activities.map(({ id, email, isDeletedAccount, action, detail, createdAt }) => {
            const { before, subject, after } = activityMessage(action, detail);
            return (
              <li
                key={id}
                className="flex flex-col gap-x-6 gap-y-1 border-b border-line py-3 sm:flex-row"
              >
                <time dateTime={createdAt} className="shrink-0 text-muted figures sm:w-44">
                  {TIME.format(new Date(createdAt))}
                </time>
                <p className="min-w-0 break-words">
                  <span className="text-muted">
                    {isDeletedAccount ? DELETED_ACCOUNT : (email ?? unknownActor(action))}
                  </span>{" "}
                  {before}
                  {subject && <strong className="font-medium">{subject}</strong>}
                  {after}
                </p>
              </li>
            );
          })}
        </ol>
      )}
      {last && activities.length === PAGE_SIZE && (
        <Link
          to={`/admin/activity?before=${last.id}`}
          rel="next"
          className="self-center text-accent underline underline-offset-4"
        >
          Older activity
        </Link>
      )}
    </AdminPage>
  );
}
