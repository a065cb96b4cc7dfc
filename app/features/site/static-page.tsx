import type { ReactNode } from "react";

/** A page of text with a heading and a one-sentence summary. */
export function StaticPage({
  title,
  lead,
  children,
}: {
  title: string;
  lead: string;
  children: ReactNode;
}) {
  return (
    <article className="mx-auto max-w-2xl py-4 md:py-8">
      <h1 className="text-xl font-bold">{title}</h1>
      <p className="mt-3 text-lg text-muted">{lead}</p>
      <div className="prose mt-8">{children}</div>
    </article>
  );
}
