// Section 9 of the specification, "Player", and section 2, "Player controls".

/** Arrow keys, the buttons of larger screens and a double tap. */
export const SEEK_STEP_S = 10;
export const CONTROLS_HIDE_AFTER_PLAY_MS = 5_000;
export const CONTROLS_HIDE_AFTER_POINTER_MS = 3_000;
export const DOUBLE_TAP_WINDOW_MS = 300;
export const VOLUME_MIN = 0;
export const VOLUME_MAX = 1;
export const UNMUTE_VOLUME = 0.5;
export const BRIGHTNESS_MIN = 0.2;
export const BRIGHTNESS_MAX = 2;
export const SWIPE_THRESHOLD_PX = 20;
export const INDICATOR_MS = 1_000;
export const SEEK_BAR_STEP_S = 0.1;

// What the specification does not name.

/** A finger that has moved less has not yet said which way it is going. */
export const SWIPE_DECIDE_PX = 6;
/** The part of the player's height that a finger travels from the lowest level to the highest. */
export const SWIPE_TRAVEL = 0.8;
export const NEXT_COUNTDOWN_S = 8;
export const SPEEDS = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2] as const;
/** A finger or a mouse that rests on the picture this long plays it at this speed until it is lifted. */
export const HOLD_AFTER_MS = 500;
export const HELD_SPEED = 2;
/** Of a file whose own is not known. */
export const FRAMES_PER_SECOND = 25;
export const VOLUME_STEP = 0.05;
/** A pressed arrow key repeats about 30 times a second; more seeks than this can't be followed. */
export const REPEATED_KEY_SEEK_MS = 200;
/** How long the answer to a key or a double tap stays, and adds up with the next one. */
export const FEEDBACK_MS = 700;
/** No resume is offered before this point, nor this close to the end. */
export const RESUME_MIN_S = 10;
export const RESUME_SAVE_EVERY_S = 5;
export const RESUME_MAX_VIDEOS = 100;
/** Waits between attempts to reach the server again; the last one repeats. */
export const RECONNECT_WAITS_MS = [1_000, 2_000, 5_000, 10_000] as const;
/** A part of a video that failed is not reloaded unasked again; another one is, this far from it. */
export const RELOAD_APART_S = 5;
/** Buffering for this long without an error is checked: the connection may have gone silently. */
export const STALL_CHECK_MS = 10_000;
/** Seconds that the adaptive source loads ahead, before and after the first play. */
export const BUFFER_BEFORE_PLAY_S = 8;
export const BUFFER_S = 30;
