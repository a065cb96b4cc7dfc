import { readTransparency } from "../transparency.server";

/** The figures of the transparency page for programs, by quarter. */
export async function loader(): Promise<Response> {
  return Response.json(await readTransparency(), {
    headers: { "Cache-Control": "public, max-age=300" },
  });
}
