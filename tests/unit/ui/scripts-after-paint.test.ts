import { expect, it } from "vitest";
import { importAfterPaint } from "~/features/site/document-head";

const MODULE = `import "/assets/manifest-1.js";
import * as route0 from "/assets/root-2.js";
import * as route1 from "/assets/video-3.js";

window.__remixRouteModules = {"root":route0,"routes/video":route1};

import("/assets/entry.client-4.js");`;

it("preloads all scripts, and then imports them in the module's order", () => {
  const script = importAfterPaint(MODULE, ["/assets/manifest-1.js", "/assets/root-2.js"]);
  expect(script).toContain(`[...["/assets/manifest-1.js","/assets/root-2.js"]`);
  expect(script).toContain(`await import("/assets/manifest-1.js");
const route0 = await import("/assets/root-2.js");
const route1 = await import("/assets/video-3.js");

window.__remixRouteModules = {"root":route0,"routes/video":route1};

import("/assets/entry.client-4.js");`);
});

it("handles two imports on one line, as the development server writes them", () => {
  const script = importAfterPaint(`import "/@vite/client";import "/manifest.js"\nstart();`, []);
  expect(script).toContain(`await import("/@vite/client");await import("/manifest.js")\nstart();`);
});

it("generates a valid script", () => {
  expect(() => new Function(importAfterPaint(MODULE, []))).not.toThrow();
});
