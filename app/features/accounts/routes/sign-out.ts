import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { findSession, forgetSessionCookie } from "~/features/permissions/session.server";
import { changeAndRecord } from "~/platform/activity/activity.server";
import { unlessBusy } from "~/platform/busy.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { endAccess } from "../end-access.server";

/** This route has no page. Redirects visitors who typed the URL or used the Back button. */
export function loader() {
  return redirect("/");
}

/** Ends this session or, if the form contains the `everywhere` field, all of the user's sessions. */
export async function action({ request }: ActionFunctionArgs) {
  const session = await findSession(request);
  requireOwnOrigin(request);
  const hasForm = /^application\/x-www-form-urlencoded\b/i.test(
    request.headers.get("Content-Type") ?? "",
  );
  const isEverywhere = hasForm && (await readSmallForm(request)).has("everywhere");
  if (session) {
    const { user, idHash } = session;
    const entry = isEverywhere
      ? ({ userId: user.id, action: "session-end", detail: "All" } as const)
      : ({ userId: user.id, action: "sign-out" } as const);
    const change = changeAndRecord(entry, () =>
      endAccess(
        user.id,
        isEverywhere ? { event: "sign-out-everywhere" } : { event: "sign-out", session: idHash },
      ),
    );
    await unlessBusy(change);
  }
  // Clears cached studio pages, but not the data that the browser stores for the visitor.
  return redirect("/", {
    headers: { "Set-Cookie": forgetSessionCookie(), "Clear-Site-Data": '"cache"' },
  });
}
