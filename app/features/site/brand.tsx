import { PageLink } from "~/ui/page-link";

/** The mark, and where there is room for more than its first letter the name, leading home. */
export function Brand({ siteName }: { siteName: string }) {
  return (
    <PageLink
      to="/"
      aria-label={siteName}
      className="flex min-h-11 min-w-0 items-center gap-2.5 rounded-sm text-lg font-bold [letter-spacing:-0.025em]"
    >
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7 shrink-0 fill-accent">
        <path d="M20.6 4.7a12.3 12.3 0 1 0 0 22.6 10 10 0 1 1 0-22.6Z" />
        <path d="m17.6 10.6 9.4 5.4-9.4 5.4Z" />
      </svg>
      <span className="truncate @max-[14rem]/header:hidden">{siteName}</span>
    </PageLink>
  );
}
