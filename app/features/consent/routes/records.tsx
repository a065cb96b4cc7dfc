import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { pageMeta } from "~/features/catalogue/meta/page-meta";
import { StaticPage } from "~/features/site/static-page";
import { settings } from "~/platform/settings.server";
import { siteIdentity } from "~/platform/site-origin.server";
import { RECORDS_TEXT } from "../records-text";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? pageMeta(data.site, {
        title: RECORDS_TEXT.title,
        description: RECORDS_TEXT.lead,
        path: "/records",
        noindex: true,
      })
    : [];

/** There is such a page only where RECORDS_CUSTODIAN says who keeps the records. */
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
