import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { pageMeta } from "~/catalogue/meta/page-meta";
import { contactEmail } from "~/server/contact-email.server";
import { siteIdentity } from "~/server/site-origin.server";
import { StaticPage } from "~/ui/page-frame/static-page";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? pageMeta(data.site, {
        title: "Privacy",
        description: `No account, no personal data, no logs, no request to anybody else: what ${data.site.name} knows about its visitors.`,
        path: "/privacy",
        noindex: true,
      })
    : [];

export function loader({ request }: LoaderFunctionArgs) {
  return { site: siteIdentity(request), email: contactEmail(request) };
}

export default function Privacy() {
  const { site, email } = useLoaderData<typeof loader>();
  return (
    <StaticPage
      title="Privacy"
      lead={`${site.name} stores no personal data and no logs of its visitors.`}
    >
      <h2>What we do not do</h2>
      <ul>
        <li>We ask for no account, no name and no e-mail address to watch a video.</li>
        <li>
          We write down no address of your device, no description of your browser and nothing that
          you search for: not in a database, not in a file, not in a log.
        </li>
        <li>
          No page asks another company for anything. There are no advertising networks, no analytics
          services, no fonts or scripts of others, and so nobody else learns that you were here.
        </li>
        <li>We have nothing that we could sell, share or lose.</li>
      </ul>

      <h2>What is counted</h2>
      <p>
        Each video has one number: how often its page was opened, also by day. It does not say by
        whom. To keep the site available, the number of recent requests is limited; the addresses
        needed for that are held in memory for an hour at most and written nowhere.
      </p>
      <p>
        Each video also has totals of how far it is watched: twenty numbers, one for each 5 % of the
        film. When a view ends, your browser tells us once which of these parts were played, without
        a cookie or anything else that is yours, and each number of such a part rises by one.
        Nothing is kept of the view itself, not even its time. Browsers that ask not to be tracked
        (Global Privacy Control, Do Not Track) or to save data tell us nothing.
      </p>

      <h2>Cookies and your browser's memory</h2>
      <ul>
        <li>
          <strong>Age.</strong> When you confirm that you are 18 or over, a cookie remembers that
          answer, and only that, so that you are not asked again.
        </li>
        <li>
          <strong>Player.</strong> The volume and the place where you stopped watching stay in your
          own browser, and clearing the data of this site removes them. So does <q>Forget all</q>{" "}
          under Continue watching. The place itself is never sent to us, only the parts above,
          without saying whose view it was; which videos those are, your browser asks us for as for
          any other page, and nothing of that is written down.
        </li>
        <li>
          <strong>Saved videos.</strong> The list of what you save stays in your own browser too.
          When you open it, your browser asks us for those videos, as for any other page, and
          nothing of that is written down.
        </li>
        <li>
          <strong>Offline page.</strong> Your browser stores one page of ours, which it shows when
          the site cannot be reached. No page that you visit is stored with it.
        </li>
        <li>
          <strong>Administrators.</strong> The few people who manage the videos sign in, and have a
          cookie for that. Visitors never get it.
        </li>
      </ul>

      <p>
        What your browser remembers, and how discreet the site is, stands on the page{" "}
        <Link to="/preferences">Preferences</Link>.
      </p>

      <h2>Content from third parties</h2>
      <p>
        All content on {site.name} comes from third-party sources. A description may contain a link
        to another site; what that site does with your visit is its own affair, and we send it no
        word about where you came from. Rights holders find the way to a removal on the{" "}
        <Link to="/dmca">DMCA page</Link>.
      </p>

      <h2>Age</h2>
      <p>
        This site is for ages 18 and over. Every page carries the RTA label, by which parental
        filters recognise it.
      </p>

      <h2>Questions</h2>
      <p>
        Write to <a href={`mailto:${email}`}>{email}</a>. We answer within 1 to 2 business days. A
        mail you send reaches an ordinary mailbox; we use it to answer you and for nothing else.
      </p>
    </StaticPage>
  );
}
