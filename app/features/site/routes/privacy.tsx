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
        description: `No account, no personal data, no logs, no request to anybody else: what ${data.site.name} knows about its visitors.`,
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
        <li>Of those who watch we have nothing that we could sell, share or lose.</li>
      </ul>

      <h2>What is counted</h2>
      <p>
        Each video has one number: how often its page was opened, also by day. It does not say by
        whom. To keep the site available, these are limited for each address:{" "}
        {[...new Set(Object.values(MEMORY_LIMITS))].join(", ")}. What is needed for that is held in
        memory, as a digest of the address, for an hour at most and written nowhere.
      </p>
      <p>
        Each video also has totals of how far it is watched: twenty numbers, one for each 5 % of the
        video. When a view ends, your browser tells us once which of these parts were played,
        without a cookie or anything else that is yours, and each number of such a part rises by
        one. Nothing is kept of the view itself, not even its time. Browsers that ask not to be
        tracked (Global Privacy Control, Do Not Track) or to save data tell us nothing.
      </p>

      <h2>Cookies and your browser's memory</h2>
      <p>
        This is all that your browser is given to remember. What it has beside the cookies it sends
        to nobody by itself: to show you the videos that you saved or began, it asks us for them as
        for any other page. Clearing the data of this site removes all of it.
      </p>
      <ul>
        {BROWSER_DATA.filter((each) => each.isForVisitors).map((each) => (
          <Remembered key={each.keys[0]} {...each} />
        ))}
        <li>
          An offline page of ours, which your browser shows when the site cannot be reached. No page
          that you visit is stored with it.
        </li>
      </ul>
      <p>
        Who manages the videos has more cookies, which visitors never get:{" "}
        {BROWSER_DATA.filter((each) => !each.isForVisitors)
          .flatMap(({ keys }) => keys)
          .join(", ")}
        . What your browser remembers, and how discreet the site is, stands on the page{" "}
        <Link to="/preferences">Preferences</Link>.
      </p>

      <h2>What is stored of others than visitors</h2>
      <p>
        Whoever only watches is not among these. This is all that our database holds of persons, why
        it does, and for how long. Backups may hold it longer, until the last backup with it is
        replaced.
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
        Phones and cameras write into a video where, when and with what it was made, and by whom.
        This is removed before a video that we receive becomes public. The uploader&apos;s original,
        which only the people who run the site can open, may keep it.
      </p>
      <p>
        Whoever it is about may ask what is kept of them, and to have it deleted. Who reported a
        video does so in a message on the page of their report, others by mail.
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
      {checksAges && (
        <p>
          In some countries the law asks for a check of the age. {checksAges} does that for us, when
          you follow the link to it. It is sent a random number and the address to come back to, not
          what you want to watch; it tells us whether you are 18 or over, and nothing else. Where
          you are we are told by the network that you reach us through, and write it down nowhere.
        </p>
      )}

      <h2>Questions</h2>
      <p>
        Write to <a href={`mailto:${email}`}>{email}</a>. We answer within 1 to 2 business days. A
        mail you send reaches an ordinary mailbox; we use it to answer you and for nothing else.
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
