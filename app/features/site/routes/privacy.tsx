import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { Fragment } from "react";
import { pageMeta } from "~/features/catalogue/page-meta";
import { contactEmail } from "~/platform/contact-email.server";
import { settings } from "~/platform/settings.server";
import { siteIdentity } from "~/platform/site-origin.server";
import { BROWSER_DATA, type BrowserData, MEMORY_LIMITS } from "../browser-data";
import { keptGroups } from "../kept-data.server";
import { StaticPage } from "../static-page";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? pageMeta(data.site, {
        title: "Privacy",
        description: `How ${data.site.name} protects its visitors: no account, no personal data, no logs, no third-party requests.`,
        path: "/privacy",
        noindex: true,
      })
    : [];

export function loader({ request }: LoaderFunctionArgs) {
  const { ageCheckUrl } = settings();
  return {
    site: siteIdentity(request),
    email: contactEmail(request),
    groups: keptGroups(),
    checksAges: ageCheckUrl ? new URL(ageCheckUrl).host : undefined,
  };
}

export default function Privacy() {
  const { site, email, groups, checksAges } = useLoaderData<typeof loader>();
  return (
    <StaticPage
      title="Privacy"
      lead={`${site.name} stores no personal data or logs about its visitors.`}
    >
      <h2>What we don’t do</h2>
      <ul>
        <li>You don’t need an account, a name or an email address to watch videos.</li>
        <li>We don’t record your IP address, browser details or searches anywhere.</li>
        <li>
          No page makes requests to other companies. There are no advertising networks, no analytics
          services and no third-party fonts or scripts, so nobody else learns that you were here.
        </li>
        <li>We have no data about viewers that we could sell, share or lose.</li>
      </ul>

      <h2>What we count</h2>
      <p>
        For each video, we count how often its page was opened, in total and by day, but not by
        whom. To keep the site available, the number of{" "}
        {[...new Set(Object.values(MEMORY_LIMITS))].join(", ")} is limited for each IP address. To
        enforce these limits, a hash of the address is kept in memory for at most an hour and never
        written anywhere.
      </p>
      <p>
        We also count how far each video is watched: twenty numbers, one for each 5% of the video.
        When a view ends, your browser reports once which of these parts were played, without a
        cookie or any other identifier, and their numbers rise by one. Nothing about the view itself
        is kept, not even its time. Browsers that ask not to be tracked (Global Privacy Control, Do
        Not Track) or to save data report nothing.
      </p>

      <h2>Cookies and browser storage</h2>
      <p>
        This is everything that the site stores in your browser. Only cookies are sent to us
        automatically: to show the videos that you saved or started, your browser requests them like
        those on any other page. Clearing this site’s data in your browser removes all of it.
      </p>
      <ul>
        {BROWSER_DATA.filter((each) => each.isForVisitors).map((each) => (
          <Remembered key={each.keys[0]} {...each} />
        ))}
        <li>
          An offline page, which your browser shows when the site can’t be reached. The pages that
          you visit aren’t stored.
        </li>
      </ul>
      <p>
        The site stores these only for people who manage the videos:{" "}
        {BROWSER_DATA.filter((each) => !each.isForVisitors)
          .flatMap(({ keys }) => keys)
          .join(", ")}
        . You can change your privacy settings and clear stored data under{" "}
        <Link to="/preferences">Preferences</Link>.
      </p>

      <h2>Data about people other than visitors</h2>
      <p>
        If you only watch videos, this section isn’t about you. It lists all the personal data in
        our database, why we store it, and for how long. Deleted data remains in backups until the
        last backup that contains it is replaced.
      </p>
      {groups.map(({ title, lead, kept }) => (
        <Fragment key={title}>
          <h3 className="mt-6 font-semibold text-ink">{title}</h3>
          <p>{lead}</p>
          <ul>
            {kept.map(({ what, why, howLong }) => (
              <li key={what}>
                <strong>{what}.</strong> {why} {howLong}
              </li>
            ))}
          </ul>
        </Fragment>
      ))}
      <p>
        Phones and cameras add metadata to video files, such as where, when, by whom and with which
        device a video was recorded. We remove it before a video becomes public. The uploader&apos;s
        original, which only the people who run the site can open, may still contain it.
      </p>
      <p>
        You can ask what data we have about you, and have it deleted. If you reported a video, send
        a message on your report’s page. Otherwise, email us.
      </p>

      <h2>Content from third parties</h2>
      <p>
        All content on {site.name} comes from third-party sources. A description may contain a link
        to another site. We don’t control what that site collects about you, and we don’t tell it
        where you came from. Rights holders can request a removal on the{" "}
        <Link to="/dmca">DMCA page</Link>.
      </p>

      <h2>Age</h2>
      <p>
        This site is for ages 18 and over. Every page carries the RTA label, which parental filters
        recognize.
      </p>
      {checksAges && (
        <p>
          In some countries, the law requires an age check. {checksAges} does that for us when you
          follow the link to it. It receives a random number and the URL to return to, but not what
          you want to watch. It tells us only whether you are 18 or over. We learn your country from
          the network through which you reach us, and don’t record it anywhere.
        </p>
      )}

      <h2>Questions</h2>
      <p>
        Write to <a href={`mailto:${email}`}>{email}</a>. We answer within 1 to 2 business days.
        Your email goes to an ordinary mailbox, and we use it only to answer you.
      </p>
    </StaticPage>
  );
}

const KINDS: Record<BrowserData["kind"], string> = {
  cookie: "Cookie",
  storage: "In your browser's storage",
  tab: "In this tab",
};

function Remembered({ kind, keys, what, howLong }: BrowserData) {
  return (
    <li>
      <strong>{what}</strong> {KINDS[kind]}: {keys.join(", ")}. {howLong}
    </li>
  );
}
