import { afterAll, beforeAll, beforeEach } from "vitest";
import { signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { HtmlVisitor } from "./html-visitor";

/**
 * Starts a site for the tests in a file, with a visitor who is signed in as an admin at the start of each test.
 *
 * @param tables the tables that are emptied before each test.
 * @param environment settings, keyed by environment variable.
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
