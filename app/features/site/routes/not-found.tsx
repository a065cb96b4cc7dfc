/** Matches every URL that no other route matches; the root's error page renders it. */
export function loader(): never {
  throw new Response(null, { status: 404, statusText: "Not Found" });
}

export const action = loader;

export default function Never() {
  return null;
}
