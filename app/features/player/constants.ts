// Values from the specification, section 9 (Player) and section 2 (Player controls).

/** The step for the arrow keys, the seek buttons and a double tap, in seconds. */
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

// Values that the specification doesn't define.

/** How far a finger must move before the direction of the swipe is determined. */
export const SWIPE_DECIDE_PX = 6;
/** The fraction of the player's height that a swipe must cover to change the level from lowest to highest. */
export const SWIPE_TRAVEL = 0.8;
export const NEXT_COUNTDOWN_S = 8;
export const SPEEDS = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2] as const;
/** If a press on the video lasts this long, the video plays at HELD_SPEED until the press ends. */
export const HOLD_AFTER_MS = 500;
export const HELD_SPEED = 2;
/** The frame rate that is assumed if the real one is unknown. */
export const DEFAULT_FRAME_RATE = 25;
export const VOLUME_STEP = 0.05;
/** The minimum interval between seeks while an arrow key is held down. The key repeats about 30 times a second. */
export const REPEATED_KEY_SEEK_MS = 200;
/**
 * How long the feedback for a key press or a double tap stays on screen. Seeks in the same direction within this time
 * are added up.
 */
export const FEEDBACK_MS = 700;
/** The player doesn't offer to resume from positions this close to the beginning or the end. */
export const RESUME_MIN_S = 10;
export const RESUME_SAVE_INTERVAL_S = 5;
export const RESUME_MAX_VIDEOS = 100;
/** The delays between attempts to reconnect; the last delay is used for all further attempts. */
export const RECONNECT_DELAYS_MS = [1_000, 2_000, 5_000, 10_000] as const;
/**
 * The minimum distance between the positions of two automatic reloads, so that the same failure doesn't cause a second
 * reload.
 */
export const MIN_RELOAD_DISTANCE_S = 5;
/**
 * Buffering for this long without an error triggers a connection check, because the download may have stalled silently.
 */
export const STALL_CHECK_MS = 10_000;
/** How far ahead the adaptive source buffers, before and after playback first starts. */
export const BUFFER_BEFORE_PLAY_S = 8;
export const BUFFER_S = 30;
