/**
 * Title case as golang.org/x/text/cases makes it for English: the first cased letter of each word becomes a title-case
 * letter, all others lower-case ones. Words end where a character is neither letter, digit, mark, nor between letters.
 */
import type { Budget } from '../../budget.ts';
import { chargeText } from '../define.ts';

const CASED = /^\p{Cased}$/u;
const CASE_IGNORABLE = /^\p{Case_Ignorable}$/u;
/** Between two letters they do not end a word; two of them do. */
const MID = /^['.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a]$/;
const LETTER =
  /^[\p{Alphabetic}\p{Nd}\p{M}\p{Cf}\p{Pc}\u02c2-\u02c5\u02d2-\u02d7\u02de\u02df\u02e5-\u02eb\u02ed\u02ef-\u02ff\u055a-\u055c\u055e\u058a\u05f3\u066b\u202f\ua708-\ua716\ua720\ua721\ua789\ua78a\uab5b]$|^\p{Emoji_Modifier}$/u;
/** Scripts without spaces between words: each of their letters ends a word. */
const WITHOUT_SPACES =
  /^(?=[\p{L}\p{Nl}\p{Nd}])[\p{Ideographic}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Khmer}\p{sc=Tai_Le}\p{sc=New_Tai_Lue}\p{sc=Tai_Tham}\p{sc=Tai_Viet}\p{sc=Ahom}]$|^[\u200b\u30fc\uff70]$/u;
const DIGIT = /^\p{Nd}$/u;

const isMid = (char: string): boolean => MID.test(char);
const endsWord = (char: string): boolean =>
  !isMid(char) && (!LETTER.test(char) || (WITHOUT_SPACES.test(char) && !DIGIT.test(char)));

/** Characters after which the budget is checked. */
const CHECKED_AT = 512;

/** Characters that one capital sigma looks ahead. */
const MAX_IGNORABLE = 31;

export function titleCase(text: string, budget: Budget): string {
  chargeText(budget, text.length * 4);
  const chars = [...text];
  let title = '';
  let isInWord = false;
  let wasMid = false;
  for (let at = 0; at < chars.length; at++) {
    if (at % CHECKED_AT === 0) budget.step(CHECKED_AT);
    const char = chars[at] ?? '';
    if (wasMid && isMid(char)) isInWord = false;
    wasMid = isMid(char);
    if (!CASED.test(char)) {
      title += char;
      if (endsWord(char)) isInWord = false;
    } else if (!isInWord) {
      title += titleLetter(char);
      isInWord = true;
    } else if (char === '\u03a3') {
      const ignored = ignorableAfter(chars, at);
      const isFinal = !CASED.test(chars[at + ignored.length + 1] ?? '') || ignored.length >= MAX_IGNORABLE;
      title += isFinal ? '\u03c2' : '\u03c3';
      for (const next of ignored) {
        if ((wasMid && isMid(next)) || endsWord(next)) isInWord = false;
        wasMid = isMid(next);
        title += next;
      }
      at += ignored.length;
      wasMid = false;
    } else title += char.toLowerCase();
  }
  return title;
}

function ignorableAfter(chars: readonly string[], at: number): string[] {
  const ignored: string[] = [];
  for (let next = at + 1; ignored.length < MAX_IGNORABLE; next++) {
    const char = chars[next];
    if (char === undefined || !CASE_IGNORABLE.test(char)) break;
    ignored.push(char);
  }
  return ignored;
}

/** Digraphs of which only the first letter is a capital one, by the first of each three. */
const DIGRAPHS: readonly number[] = [0x1c4, 0x1c7, 0x1ca, 0x1f1];

function titleLetter(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const digraph = DIGRAPHS.find((first) => code >= first && code <= first + 2);
  if (digraph !== undefined) return String.fromCharCode(digraph + 1);
  // Georgian letters have capitals for texts in capitals only. U+0149 is an apostrophe and a letter.
  if (code >= 0x10d0 && code <= 0x10ff) return char;
  const upper = char.toUpperCase();
  if (code === 0x149) return upper;
  // A small iota stays below its letter.
  if (code >= 0x1f80 && code <= 0x1fff && upper.endsWith('\u0399') && upper.length > 1) {
    return `${upper.slice(0, -1)}\u0345`.normalize('NFC');
  }
  const [first = '', ...others] = upper;
  return first + others.join('').toLowerCase();
}
