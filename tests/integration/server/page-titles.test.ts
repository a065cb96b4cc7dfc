import { UNSAFE_ErrorResponseImpl as ErrorResponse } from "@remix-run/router";
import { expect, it } from "vitest";
import { meta as rootMeta } from "~/root";
import routes from "~/routes";
import { addVideo, adminCookie, useAdminSite } from "../../admin-requests";

const SITE_NAME = "Another site";
const PARAMETERS = { id: "v", tag: "evening", slug: "nothing", token: "unknown", "*": "nothing" };
const ROOT = { id: "root", data: { siteName: SITE_NAME } };

useAdminSite({ SITE_NAME });

// The glob includes new routes automatically.
const modules = import.meta.glob("../../../app/features/*/routes/*.tsx", { eager: true });
const pages = routes.filter(({ file }) => file.endsWith(".tsx"));

/** Returns the document's title as Remix would: from the page's `meta`, or else from the root's. */
async function titleOf(
  { file, path = "" }: (typeof routes)[number],
  parameters: Record<string, string> = PARAMETERS,
): Promise<string | undefined> {
  // biome-ignore lint/suspicious/noExplicitAny: each route has a loader and meta of its own
  const page = modules[`../../../app/${file}`] as any;
  const request = new Request(`http://localhost/${path}`, { headers: { Cookie: adminCookie() } });
  let data: unknown;
  let error: unknown;
  try {
    const response = await page.loader?.({ request, params: parameters, context: {} });
    data = response?.type === "DataWithResponseInit" ? response.data : response;
  } catch (thrown) {
    if (!(thrown instanceof Response)) throw thrown;
    error = new ErrorResponse(thrown.status, thrown.statusText, null);
  }
  const given = { data, error, params: parameters, location: {}, matches: [ROOT] };
  const own = page.meta?.(given) ?? [];
  // biome-ignore lint/suspicious/noExplicitAny: the root's `meta` reads only its data and the error
  const tags = own.length > 0 ? own : (rootMeta as any)({ ...given, data: ROOT.data });
  return tags.find((tag: { title?: string }) => tag.title)?.title;
}

it("the title of every page ends with the site's name", async () => {
  addVideo({ tags: '["evening"]', status: "published" });
  expect(pages.length).toBeGreaterThan(40);
  const titles = await Promise.all(
    pages.map(async (route) => [route.path, await titleOf(route)] as const),
  );
  const wrong = titles.filter(([, title]) => !title?.endsWith(` | ${SITE_NAME}`));
  expect(wrong).toEqual([]);
  const video = pages.find(({ path }) => path === "video/:id")!;
  expect(await titleOf(video, { id: "unknown" })).toBe(`Video not found | ${SITE_NAME}`);
});
