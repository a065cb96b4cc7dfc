import { shownCategories } from "~/shared/categories";
import { PageLink } from "~/ui/page-link";

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

/** The footer, with a section about the site, links, categories, legal pages, the copyright line and the 18+ notice. */
export function Footer({
  siteName,
  year,
  hasRecords,
}: {
  siteName: string;
  year: number;
  /** Whether the operator has set a custodian of records. */
  hasRecords: boolean;
}) {
  return (
    <footer className="site-footer mt-auto border-t border-line bg-surface pb-[env(safe-area-inset-bottom)]">
      {/* There are three columns of links at any width, unless large text needs more space for each column. */}
      <div className="page grid grid-cols-[repeat(auto-fill,minmax(min(max(5.5rem,25%),100%),1fr))] gap-x-3 gap-y-5 py-6 sm:gap-x-6 sm:gap-y-8 sm:py-10 lg:grid-cols-[2fr_1fr_1fr_1fr] lg:py-12">
        <section className="max-lg:col-span-full">
          <h2 className="text-sm font-semibold">About</h2>
          <p className="mt-1 max-w-sm text-sm text-muted sm:mt-3">
            {siteName} is a free video site for adults. We store no personal data or logs.
          </p>
        </section>
        <Column title="Quick Links" links={QUICK_LINKS} />
        <Column title="Popular Categories" links={categoryLinks()} />
        <Column title="Legal" links={hasRecords ? [...LEGAL, RECORDS] : LEGAL} />
      </div>
      <div className="border-t border-line">
        <div className="page flex flex-wrap items-center justify-between gap-x-3 gap-y-1 py-3 text-sm text-muted sm:py-5">
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
      {/* On a phone, one heading wraps onto a second line. All headings have the same height, so that the lists
          are aligned. */}
      <h2 className="text-sm font-semibold max-sm:min-h-[calc(2*var(--text-sm--line-height))]">
        {title}
      </h2>
      <ul className="text-sm text-muted sm:mt-2">
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
