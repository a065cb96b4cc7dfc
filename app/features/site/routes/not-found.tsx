/** Matches every URL that no other route matches. The root's error page is rendered for such a URL. */
export function loader(): never {
  throw new Response(null, { status: 404, statusText: "Not Found" });
}

export const action = loader;

export default function Never() {
  return null;
}
