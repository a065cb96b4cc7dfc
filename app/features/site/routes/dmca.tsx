import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { pageMeta } from "~/features/catalogue/page-meta";
import { contactEmail } from "~/platform/contact-email.server";
import { settings } from "~/platform/settings.server";
import { siteIdentity } from "~/platform/site-origin.server";
import { StaticPage } from "../static-page";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? pageMeta(data.site, {
        title: "DMCA and content removal",
        description: `How rights holders, and people shown in a video, have content removed from ${data.site.name}. Answered within 1 to 2 business days.`,
        path: "/dmca",
        noindex: true,
      })
    : [];

export function loader({ request }: LoaderFunctionArgs) {
  return {
    site: siteIdentity(request),
    email: contactEmail(request),
    hidesAtOnce: settings().reportHide,
    hasRecords: Boolean(settings().recordsCustodian),
  };
}

export default function Dmca() {
  const { site, email, hidesAtOnce, hasRecords } = useLoaderData<typeof loader>();
  return (
    <StaticPage
      title="DMCA and content removal"
      lead="If something here is yours, or shows you, and should not be here, tell us and it goes."
    >
      <p>
        All content on {site.name} comes from third-party sources. We respect the rights of others
        and answer every notice under the Digital Millennium Copyright Act (17 U.S.C. § 512) and
        comparable laws within 1 to 2 business days.
      </p>

      <h2>Report a copyright infringement</h2>
      <p>
        Fill in <Link to="/report?kind=copyright">the form for copyright</Link>. It asks for what a
        notice needs:
      </p>
      <ul>
        <li>the address of each page on this site that shows the work;</li>
        <li>the work that you hold the rights in, and how it is known;</li>
        <li>your full name, which stands for your signature, and how you can be reached;</li>
        <li>
          a statement that you believe in good faith that the use is not authorised by the owner,
          its agent or the law;
        </li>
        <li>
          a statement, under penalty of perjury, that your notice is accurate and that you are the
          owner or may act for the owner.
        </li>
      </ul>
      <p>
        Or write the same to <a href={`mailto:${email}?subject=DMCA%20notice`}>{email}</a>.
      </p>

      <h2>You are in a video</h2>
      <p>
        If a video shows you without your consent, you need none of the formalities above, no
        account and no name: <Link to="/report?kind=consent">report it</Link>, or send the address
        of the page with the subject <strong>Removal</strong>. It is decided within 48 hours.
        {hidesAtOnce &&
          " A video that is reported with the form is hidden first, and examined afterwards."}
      </p>

      <h2>Illegal content</h2>
      <p>
        Everyone shown on this site must have been an adult and must have agreed. If you see
        anything that suggests otherwise, <Link to="/report?kind=under-age">report it</Link>, or
        write with the subject <strong>Urgent</strong>. It is decided within 48 hours
        {hidesAtOnce && " and hidden until then"}, taken down and reported to the authorities.
      </p>

      <h2>Private information, and anything else</h2>
      <p>
        <Link to="/report">Report it</Link> too. Every report gets a link of its own, where you see
        what becomes of it, answer questions, or withdraw it.
      </p>

      {hasRecords && (
        <p>
          Who keeps the records of age and consent stands on{" "}
          <Link to="/records">a page of its own</Link>.
        </p>
      )}

      <h2>What happens then</h2>
      <ul>
        <li>We answer within 1 to 2 business days.</li>
        <li>
          How many reports came and what was decided stands on the{" "}
          <Link to="/transparency">transparency page</Link>.
        </li>
        <li>
          A valid notice leads to the removal of the page and of its files. A hidden video's files
          can no longer be reached either.
        </li>
        <li>Sources that repeatedly infringe the rights of others are no longer used.</li>
      </ul>

      <h2>Counter-notice</h2>
      <p>
        If your material was removed by mistake, send a counter-notice to {email}: what was removed
        and where it stood, your contact details and signature, a statement under penalty of perjury
        that you believe the removal was a mistake, and your consent to the jurisdiction of the
        competent court.
      </p>
    </StaticPage>
  );
}
