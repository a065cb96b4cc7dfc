import type { ReactNode } from "react";

/** A narrow card in the middle of the page, with one heading and one form. */
export function SignInCard({
  title,
  text,
  children,
}: {
  title: string;
  text?: string;
  children: ReactNode;
}) {
  return (
    <div className="mx-auto flex w-full max-w-md flex-col gap-5 rounded-lg border border-line bg-surface p-5 sm:mt-8 sm:p-8">
      <div>
        <h1 className="text-xl font-bold">{title}</h1>
        {text && <p className="mt-2 text-muted">{text}</p>}
      </div>
      {children}
    </div>
  );
}
