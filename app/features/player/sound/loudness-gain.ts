/** How loud every film is made, in LUFS. */
const TARGET_LUFS = -16;
/** No peak is raised above this, in dBTP: it would be clipped. */
const MOST_PEAK = -1;
/** More would raise the noise of a film that is nearly silent. */
const MOST_RAISED_DB = 12;
/** Nobody hears less. */
const LEAST_DB = 0.5;
/** Below it a film has no sound to speak of (the absolute gate of ITU-R BS.1770). */
const GATE_LUFS = -70;

/**
 * What the sound of a film is multiplied with to be as loud as all others; 1 where it is already, and
 * where how loud it is was not measured. A quiet film with one loud moment is raised only as far as
 * that allows.
 *
 * @param sound LUFS of the whole film, and its highest peak in dBTP.
 */
export function loudnessGain(sound: { lufs: number; truePeak: number } | undefined): number {
  if (!sound || sound.lufs <= GATE_LUFS) return 1;
  const wanted = TARGET_LUFS - sound.lufs;
  const raisable = Math.max(0, Math.min(MOST_RAISED_DB, MOST_PEAK - sound.truePeak));
  const decibels = Math.min(wanted, raisable);
  return Math.abs(decibels) < LEAST_DB ? 1 : 10 ** (decibels / 20);
}
