import { afterAll, beforeAll, beforeEach } from "vitest";
import { signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { HtmlVisitor } from "./html-visitor";

/**
 * Starts a site for the tests of a file, with a visitor who is signed in as its admin when each test begins.
 *
 * @param tables emptied before each test.
 * @param environment settings, by the names of the environment variables.
 */
export function useStudio(tables: readonly string[], environment: Record<string, string> = {}) {
  const site = new SiteProcess(environment);
  const visitor = new HtmlVisitor(site);
  const session = { cookie: "" };
  beforeAll(async () => {
    await site.start();
    session.cookie = await signInTo(site);
  });
  afterAll(() => site.remove());
  beforeEach(async () => {
    for (const table of tables) site.database().exec(`DELETE FROM ${table}`);
    await visitor.restart();
    await visitor.setCookie(session.cookie);
  });
  return { site, visitor, session };
}
