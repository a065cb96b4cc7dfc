import { readTransparency } from "../transparency.server";

export async function loader(): Promise<Response> {
  return Response.json(await readTransparency(), {
    headers: { "Cache-Control": "public, max-age=300" },
  });
}
