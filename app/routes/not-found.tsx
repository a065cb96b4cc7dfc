import type { MetaFunction } from "@remix-run/node";

export const meta: MetaFunction = () => [
  { title: "Page not found" },
  { name: "robots", content: "noindex" },
];

/** Every address that no other route knows; the root's error page shows the rest. */
export function loader(): never {
  throw new Response(null, { status: 404, statusText: "Not Found" });
}

export const action = loader;

export default function Never() {
  return null;
}
