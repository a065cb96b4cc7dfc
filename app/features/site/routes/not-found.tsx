/** Every address that no other route knows; the root's error page shows it. */
export function loader(): never {
  throw new Response(null, { status: 404, statusText: "Not Found" });
}

export const action = loader;

export default function Never() {
  return null;
}
