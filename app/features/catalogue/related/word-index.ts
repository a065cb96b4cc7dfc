/** Which videos have a word, for all words, in memory. A video is its slot, a small number. */

interface Posting {
  slots: Uint32Array;
  length: number;
}

/** A word that only one video has, as most have, costs no list: its slot stands by itself. */
type Slots = number | Posting;

export function wordIndex() {
  const words = new Map<string, Slots>();
  /** Every word once, between line feeds. */
  let text = "\n";

  return {
    add(word: string, slot: number): void {
      const before = words.get(word);
      if (before === undefined) {
        words.set(word, slot);
        text += `${word}\n`;
      } else if (typeof before === "number") {
        words.set(word, { slots: Uint32Array.of(before, slot, 0, 0), length: 2 });
      } else {
        append(before, slot);
      }
    },

    /** The slots of a word, a slot at most once. */
    slotsOf(word: string): Uint32Array {
      return listed(words.get(word));
    },

    words: () => words.keys(),

    /** All words that contain `part`, itself included. */
    wordsWith(part: string): string[] {
      const found: string[] = [];
      let at = text.indexOf(part);
      while (at >= 0) {
        const end = text.indexOf("\n", at);
        found.push(text.slice(text.lastIndexOf("\n", at) + 1, end));
        at = text.indexOf(part, end);
      }
      return found;
    },
  };
}

function append(posting: Posting, slot: number): void {
  if (posting.length === posting.slots.length) {
    const longer = new Uint32Array(Math.ceil(posting.length * 1.5));
    longer.set(posting.slots);
    posting.slots = longer;
  }
  posting.slots[posting.length] = slot;
  posting.length += 1;
}

function listed(slots: Slots | undefined): Uint32Array {
  if (slots === undefined) return new Uint32Array();
  if (typeof slots === "number") return Uint32Array.of(slots);
  return slots.slots.subarray(0, slots.length);
}
