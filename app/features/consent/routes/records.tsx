import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { pageMeta } from "~/features/catalogue/page-meta";
import { StaticPage } from "~/features/site/static-page";
import { settings } from "~/platform/settings.server";
import { siteIdentity } from "~/platform/site-origin.server";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? pageMeta(data.site, {
        title: RECORDS_TEXT.title,
        description: RECORDS_TEXT.lead,
        path: "/records",
        noindex: true,
      })
    : [];

/** The page exists only if RECORDS_CUSTODIAN specifies the custodian of the records. */
export function loader({ request }: LoaderFunctionArgs) {
  const custodian = settings().recordsCustodian;
  if (!custodian) throw new Response(null, { status: 404, statusText: "Not Found" });
  return { site: siteIdentity(request), custodian };
}

export default function Records() {
  const { custodian } = useLoaderData<typeof loader>();
  return (
    <StaticPage title={RECORDS_TEXT.title} lead={RECORDS_TEXT.lead}>
      <p>{RECORDS_TEXT.kept}</p>
      <address dir="auto" className="wrap-anywhere whitespace-pre-line not-italic">
        {custodian.join("\n")}
      </address>
      <p>{RECORDS_TEXT.inspection}</p>
    </StaticPage>
  );
}

/** The text of the records page. Operators may change it. It is not legal advice. */
const RECORDS_TEXT = {
  title: "Record keeping",
  lead: "Everyone shown in a video on this site was 18 or over when it was recorded.",
  kept: "Records that prove the age and consent of the people shown are kept by:",
  inspection:
    "These records are confidential. They are shown only to authorities with a legal right to see them and to the person they are about.",
} as const;
