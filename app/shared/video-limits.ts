/** The maximum lengths of a video's text fields. The maximum file sizes are settings. */
export const MAX_TITLE_LENGTH = 200;
export const MAX_DESCRIPTION_LENGTH = 10_000;
export const MAX_TAGS = 50;
export const MAX_TAG_LENGTH = 60;
