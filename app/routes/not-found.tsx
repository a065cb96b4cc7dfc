import type { MetaFunction } from "@remix-run/node";
import { NOT_FOUND_META } from "~/ui/not-found-meta";

export const meta: MetaFunction = () => NOT_FOUND_META;

/** Every address that no other route knows; the root's error page shows the rest. */
export function loader(): never {
  throw new Response(null, { status: 404, statusText: "Not Found" });
}

export const action = loader;

export default function Never() {
  return null;
}
