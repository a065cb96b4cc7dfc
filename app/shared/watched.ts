/** The view counts above which a related video scores higher (specification, section 9). */
export const WATCHED_ABOVE = 10_000;
export const WATCHED_MUCH_ABOVE = 50_000;
