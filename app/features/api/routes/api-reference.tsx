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
    <StaticPage title="API" lead="Use this site from scripts and other software.">
      <p>
        Each request needs a token, which you create <Link to="/admin/tokens">in the studio</Link>.
        Send it as <code>Authorization: Bearer …</code>. A token can do only what both its scopes
        and your account allow. Bodies are JSON. Errors are problem details (RFC 9457). If you
        repeat a change to videos within a day with the same <code>Idempotency-Key</code>, it is
        applied only once, and you get the same response. There is also{" "}
        <a href="/api/v1/openapi.json">an OpenAPI 3.1 description</a>.
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
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area has to be usable with the keyboard.
        tabIndex={0}
        className="overflow-x-auto rounded-md border border-line bg-surface p-4 text-sm"
      >
        <code>{example}</code>
      </pre>
    </section>
  );
}
