import type {} from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { StaticPage } from "~/features/site/static-page";
import { apiReference, type ReferenceEntry } from "../openapi.server";

export const meta = privateMeta("API");

export function loader() {
  return { entries: apiReference() };
}

export default function ApiReference() {
  const { entries } = useLoaderData<typeof loader>();
  return (
    <StaticPage title="API" lead="What programs can do with this site, in the name of an account.">
      <p>
        Each request carries a token that is made on{" "}
        <Link to="/admin/tokens">its page of the studio</Link>: <code>Authorization: Bearer …</code>{" "}
        A token does what its scopes allow, and never more than the account may. Bodies are JSON.
        What goes wrong is answered as problem details (RFC 9457). A change of videos that is sent
        again with the same <code>Idempotency-Key</code> within a day happens once and gets the same
        answer. Programs read all of this from{" "}
        <a href="/api/v1/openapi.json">the description in OpenAPI 3.1</a>.
      </p>
      {entries.map((entry) => (
        <Entry key={entry.name} entry={entry} />
      ))}
    </StaticPage>
  );
}

function Entry({ entry }: { entry: ReferenceEntry }) {
  const { name, method, path, summary, scope, fields, example } = entry;
  return (
    <section id={name} className="flex flex-col gap-3 pt-6">
      <h2 className="font-semibold wrap-anywhere">
        <code>
          {method} {path}
        </code>
      </h2>
      <p>
        {summary} Scope: <code>{scope}</code>.
      </p>
      {fields.length > 0 && (
        <ul>
          {fields.map((field) => (
            <li key={field.name}>
              <code>{field.name}</code>: {field.type}
              {field.required && ", required"}
              {field.description && `. ${field.description}`}
            </li>
          ))}
        </ul>
      )}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways, the keyboard scrolls too.
        tabIndex={0}
        className="overflow-x-auto rounded-md border border-line bg-surface p-4 text-sm"
      >
        <code>{example}</code>
      </pre>
    </section>
  );
}
