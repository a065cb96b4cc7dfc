/** The head of a page that is not there. */
export const NOT_FOUND_META = [{ title: "Page not found" }, { name: "robots", content: "noindex" }];
