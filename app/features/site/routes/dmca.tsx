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
        description: `How rights holders and people shown in a video can have content removed from ${data.site.name}. We answer within 1 to 2 business days.`,
        path: "/dmca",
        noindex: true,
      })
    : [];

export function loader({ request }: LoaderFunctionArgs) {
  return {
    site: siteIdentity(request),
    email: contactEmail(request),
    hidesImmediately: settings().reportHide,
    hasRecords: Boolean(settings().recordsCustodian),
  };
}

export default function Dmca() {
  const { site, email, hidesImmediately, hasRecords } = useLoaderData<typeof loader>();
  return (
    <StaticPage
      title="DMCA and content removal"
      lead="If something here is yours or shows you, and shouldn’t be here, tell us and we’ll remove it."
    >
      <p>
        All content on {site.name} comes from third-party sources. We respect the rights of others
        and answer every notice under the Digital Millennium Copyright Act (17 U.S.C. § 512) and
        comparable laws within 1 to 2 business days.
      </p>

      <h2>Report a copyright infringement</h2>
      <p>
        Fill in <Link to="/report?kind=copyright">the copyright form</Link>. It asks for everything
        that a notice needs:
      </p>
      <ul>
        <li>the URL of each page on this site that shows the work;</li>
        <li>the work, and how to identify it;</li>
        <li>your full name, which serves as your signature, and how to reach you;</li>
        <li>
          a statement that you believe in good faith that the use is not authorized by the owner,
          its agent or the law;
        </li>
        <li>
          a statement, under penalty of perjury, that your notice is accurate and that you are the
          owner or authorized to act for the owner.
        </li>
      </ul>
      <p>
        Or send the same information to{" "}
        <a href={`mailto:${email}?subject=DMCA%20notice`}>{email}</a>.
      </p>

      <h2>You are in a video</h2>
      <p>
        If a video shows you without your consent, you don’t need an account, a name or any of the
        formalities above: <Link to="/report?kind=consent">report it</Link>, or email us the URL of
        the page with the subject <strong>Removal</strong>. We decide within 48 hours.
        {hidesImmediately &&
          " A video that is reported with the form is hidden first and reviewed afterwards."}
      </p>

      <h2>Illegal content</h2>
      <p>
        Everyone shown on this site must have been an adult and must have consented. If you see
        anything that suggests otherwise, <Link to="/report?kind=under-age">report it</Link>, or
        email us with the subject <strong>Urgent</strong>. The video is{" "}
        {hidesImmediately && "hidden immediately and "}reviewed within 48 hours; illegal content is
        removed and reported to the authorities.
      </p>

      <h2>Private information, and anything else</h2>
      <p>
        <Link to="/report">Report it</Link> too. Every report gets its own link, where you can
        follow its progress, answer questions or withdraw it.
      </p>

      {hasRecords && (
        <p>
          See <Link to="/records">Record Keeping</Link> for the custodian of the age and consent
          records.
        </p>
      )}

      <h2>What happens next</h2>
      <ul>
        <li>We answer within 1 to 2 business days.</li>
        <li>
          See the <Link to="/transparency">transparency page</Link> for report numbers and
          decisions.
        </li>
        <li>
          After a valid notice, the page and its files are removed. When a video is hidden, its
          files aren’t accessible either.
        </li>
        <li>We stop using sources that repeatedly infringe the rights of others.</li>
      </ul>

      <h2>Counter-notice</h2>
      <p>
        If your material was removed by mistake, send a counter-notice to {email}. Include what was
        removed and where it was, your contact details and signature, a statement under penalty of
        perjury that you believe the removal was a mistake, and your consent to the jurisdiction of
        the competent court.
      </p>
    </StaticPage>
  );
}
