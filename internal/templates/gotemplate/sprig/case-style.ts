/** `camelcase`, `snakecase` and `kebabcase`, by the rules of the library xstrings of Go. */

import type { Budget } from '../budget.ts';
import { chargeText, counted, TextBuilder } from '../functions/define.ts';
import { characters, isLetter, isUpper, toLower, toUpper } from '../functions/strings/runes.ts';

const isConnector = (rune: string): boolean =>
  rune === '-' || rune === '_' || /^\p{White_Space}$/u.test(rune);

/** Words with a capital letter each: `FooBar`. Connectors at the start stay, and all but one between words. */
export function toPascalCase(text: string, budget: Budget): string {
  chargeText(budget, text.length);
  const out = new TextBuilder(budget);
  const runes = [...counted(characters(text), budget)];
  const first = runes.findIndex((rune) => !isConnector(rune));
  // The library writes the last of several connectors twice when nothing follows.
  if (first < 0) return runes.join('') + (runes.at(-1) ?? '');
  for (const rune of runes.slice(0, first)) out.append(rune);
  let wasUpper = isUpper(runes[first] ?? '');
  let previous = '';
  let current = toUpper(runes[first] ?? '');
  for (const rune of counted(runes.slice(first + 1), budget)) {
    previous = current;
    current = rune;
    if (isConnector(current) && isConnector(previous)) {
      out.append(previous);
      continue;
    }
    if (isConnector(previous)) {
      wasUpper = isUpper(current);
      current = toUpper(current);
      continue;
    }
    if (wasUpper) {
      if (isUpper(current)) current = toLower(current);
      else wasUpper = false;
    }
    out.append(previous);
  }
  out.append(current);
  return out.toString();
}

type WordType = 'none' | 'number' | 'upper' | 'alphabet' | 'connector' | 'punctuation' | 'other';

interface Word {
  readonly type: WordType;
  readonly text: string;
}

const END: Word = { type: 'none', text: '' };

/** Words in lower case with a connector between them. */
export function toSeparatedCase(text: string, connector: '_' | '-', budget: Budget): string {
  chargeText(budget, text.length * 2);
  const out = new TextBuilder(budget);
  // Words are parts of the text: bytes that are not UTF-8 stay.
  const words = splitWords([...counted(text, budget)]);
  let next = 0;
  const take = (): Word => words[next++] ?? END;
  const isLast = () => next >= words.length;
  const write = ({ type, text: word }: Word) => {
    if (type === 'connector') out.append(connector.repeat([...word].length));
    else out.append(type === 'upper' ? Array.from(word, toLower).join('') : word);
  };
  const separate = ({ type }: Word) => {
    if (type !== 'none' && type !== 'connector' && type !== 'punctuation') out.append(connector);
  };
  /** Letters and numbers behind a number belong to it. */
  const writeRun = (from: Word): Word => {
    let word = from;
    while (word.type === 'alphabet' || word.type === 'number') {
      write(word);
      word = take();
    }
    separate(word);
    return word;
  };
  let word = take();
  while (!isLast()) {
    if (word.type !== 'connector') write(word);
    const last = word;
    word = take();
    if (last.type === 'number') word = writeRun(word);
    else if (last.type === 'connector') write(last);
    else if (last.type !== 'punctuation') {
      if (word.type !== 'number') {
        if (word.type !== 'connector' && word.type !== 'punctuation') out.append(connector);
      } else if (!isLast()) {
        const number = word;
        word = take();
        if (word.type === 'alphabet') {
          out.append(connector);
          write(number);
          word = writeRun(word);
        } else {
          write(number);
          if (word.type !== 'connector' && word.type !== 'punctuation') out.append(connector);
        }
      }
    }
  }
  write(word);
  return out.toString();
}

const isPunctuation = (rune: string): boolean => /^\p{P}$/u.test(rune);
const isNumber = (rune: string): boolean => /^\p{N}$/u.test(rune);

/** Chinese characters do not count. */
const isAlphabet = (rune: string): boolean =>
  isLetter(rune) && !/^[\u4e00-\u9fcc\u3400-\u4d85\u{20000}-\u{2b81d}]$/u.test(rune);

function splitWords(runes: readonly string[]): Word[] {
  const words: Word[] = [];
  for (let at = 0; at < runes.length; ) {
    const type = typeOf(runes[at] ?? '');
    const end = endOfWord(runes, at, type);
    words.push({ type, text: runes.slice(at, end).join('') });
    at = end;
  }
  return words;
}

function typeOf(rune: string): WordType {
  if (isConnector(rune)) return 'connector';
  if (isPunctuation(rune)) return 'punctuation';
  if (isUpper(rune)) return 'upper';
  if (isAlphabet(rune)) return 'alphabet';
  return isNumber(rune) ? 'number' : 'other';
}

function endOfWord(runes: readonly string[], start: number, type: WordType): number {
  const passOver = (from: number, fits: (rune: string) => boolean): number => {
    let at = from;
    while (at < runes.length && fits(runes[at] ?? '')) at++;
    return at;
  };
  const isSmall = (rune: string) => isAlphabet(rune) && !isUpper(rune);
  switch (type) {
    case 'connector':
      return passOver(start, isConnector);
    case 'punctuation':
      return passOver(start, isPunctuation);
    case 'number':
      return passOver(start, isNumber);
    case 'alphabet':
      return passOver(start + 1, isSmall);
    case 'upper': {
      const end = passOver(start + 1, isUpper);
      if (end === start + 1) return passOver(end, isSmall);
      // In `HTTPStatus` the S belongs to the second word.
      return end < runes.length && isAlphabet(runes[end] ?? '') ? end - 1 : end;
    }
    default:
      return passOver(start + 1, (rune) => typeOf(rune) === 'other');
  }
}
