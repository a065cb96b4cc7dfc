import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { safePath } from "~/platform/safe-redirect";
import { startAgeCheck, stepRedirect } from "../age-check.server";
import { needsAgeCheck } from "../obey-country-rules.server";

/** Redirects a visitor to the age check provider. */
export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  const to = safePath(new URL(request.url).searchParams.get("to"), "/");
  if (!needsAgeCheck(request)) return redirect(to);
  return stepRedirect(await startAgeCheck(request, to));
}
