import { shownCategories } from "~/shared/categories";
import { PageLink } from "../page-link";

const QUICK_LINKS = [
  { to: "/", label: "Home" },
  { to: "/categories", label: "Categories" },
  { to: "/trending", label: "Trending" },
  { to: "/saved", label: "Saved Videos" },
  { to: "/preferences", label: "Preferences" },
];

const LEGAL = [
  { to: "/privacy", label: "Privacy" },
  { to: "/dmca", label: "DMCA" },
  { to: "/contact", label: "Contact" },
  { to: "/transparency", label: "Transparency" },
];
const RECORDS = { to: "/records", label: "Record Keeping" };

/** About, links, categories and legal pages, the copyright line and the 18+ notice. */
export function Footer({
  siteName,
  year,
  hasRecords,
}: {
  siteName: string;
  year: number;
  /** Whether the operator has said who keeps the records of those shown. */
  hasRecords: boolean;
}) {
  return (
    <footer className="site-footer mt-auto border-t border-line bg-surface pb-[env(safe-area-inset-bottom)]">
      <div className="page grid grid-cols-[repeat(auto-fill,minmax(min(8rem,100%),1fr))] gap-x-6 gap-y-10 py-12 sm:grid-cols-3 lg:grid-cols-[2fr_1fr_1fr_1fr]">
        <section className="max-lg:col-span-full">
          <h2 className="text-sm font-semibold">About</h2>
          <p className="mt-3 max-w-sm text-sm text-muted">
            {siteName} is a free video site for adults. Nothing to install, no account to make: we
            store no personal data and no logs.
          </p>
        </section>
        <Column title="Quick Links" links={QUICK_LINKS} />
        <Column title="Popular Categories" links={categoryLinks()} />
        <Column title="Legal" links={hasRecords ? [...LEGAL, RECORDS] : LEGAL} />
      </div>
      <div className="border-t border-line">
        <div className="page flex flex-wrap items-center justify-between gap-3 py-5 text-sm text-muted">
          <p>
            © {year} {siteName}. All rights reserved.
          </p>
          <p className="flex items-center gap-2.5">
            <span className="rounded-sm border border-accent px-1.5 py-0.5 text-xs font-bold text-accent figures">
              18+
            </span>
            This site is for ages 18 and over.
          </p>
        </div>
      </div>
    </footer>
  );
}

function categoryLinks() {
  return shownCategories().map(({ id, label }) => ({ to: `/categories/${id}`, label }));
}

function Column({ title, links }: { title: string; links: { to: string; label: string }[] }) {
  return (
    <nav aria-label={title}>
      <h2 className="text-sm font-semibold">{title}</h2>
      <ul className="mt-2 text-sm text-muted">
        {links.map(({ to, label }) => (
          <li key={to}>
            <PageLink
              to={to}
              className="inline-flex min-h-11 min-w-11 items-center hover:text-ink mouse:min-h-9"
            >
              {label}
            </PageLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
