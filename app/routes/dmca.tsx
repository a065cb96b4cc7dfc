import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { pageMeta } from "~/catalogue/meta/page-meta";
import { contactEmail } from "~/server/contact-email.server";
import { siteIdentity } from "~/server/site-origin.server";
import { StaticPage } from "~/ui/page-frame/static-page";

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
  return { site: siteIdentity(request), email: contactEmail(request) };
}

export default function Dmca() {
  const { site, email } = useLoaderData<typeof loader>();
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
        Write to <a href={`mailto:${email}?subject=DMCA%20notice`}>{email}</a> with:
      </p>
      <ul>
        <li>the work that you hold the rights in, and how it is known;</li>
        <li>the address of each page on this site that shows it;</li>
        <li>your name, address, telephone number and e-mail address;</li>
        <li>
          a statement that you believe in good faith that the use is not authorised by the owner,
          its agent or the law;
        </li>
        <li>
          a statement, under penalty of perjury, that your notice is accurate and that you are the
          owner or may act for the owner;
        </li>
        <li>your signature; typing your full name is enough.</li>
      </ul>

      <h2>You are in a video</h2>
      <p>
        If a video shows you without your consent, you need none of the formalities above. Send the
        address of the page with the subject <strong>Removal</strong>. Such a video is hidden first
        and examined afterwards.
      </p>

      <h2>Illegal content</h2>
      <p>
        Everyone shown on this site must have been an adult and must have agreed. If you see
        anything that suggests otherwise, write with the subject <strong>Urgent</strong>. It is
        taken down at once and reported to the authorities.
      </p>

      <h2>What happens then</h2>
      <ul>
        <li>We answer within 1 to 2 business days.</li>
        <li>
          A valid notice leads to the removal of the page and of its files. A hidden video's files
          can no longer be reached either.
        </li>
        <li>Sources that repeatedly infringe the rights of others are no longer used.</li>
      </ul>

      <h2>Counter-notice</h2>
      <p>
        If your material was removed by mistake, send a counter-notice to the same address: what was
        removed and where it stood, your contact details and signature, a statement under penalty of
        perjury that you believe the removal was a mistake, and your consent to the jurisdiction of
        the competent court.
      </p>
    </StaticPage>
  );
}
