import { isBlankOrEnd, isBreak } from './cursor.ts';

/** In which styles a text can be written. */
export interface ScalarAnalysis {
  readonly isMultiline: boolean;
  readonly isPlainAllowed: boolean;
  /** Within `[…]` and `{…}`. */
  readonly isFlowPlainAllowed: boolean;
  readonly isSingleQuotedAllowed: boolean;
  readonly isBlockAllowed: boolean;
}

const FIRST_INDICATORS = new Set('#,[]{}&*!|>\'"%@`');
const FLOW_INDICATORS = new Set(',?[]{}');

/** Whether the emitter writes a character as it is; it escapes those beyond U+FFFF. */
export const isPrintable = (code: number): boolean =>
  code === 0x0a ||
  (code >= 0x20 && code <= 0x7e) ||
  (code >= 0xa0 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd && code !== 0xfeff);

/** @param hasBlockTabs whether a block may have tabs, as in the later version of the library */
export function analyzeScalar(text: string, hasBlockTabs = false): ScalarAnalysis {
  if (text === '') {
    return {
      isMultiline: false,
      isPlainAllowed: true,
      isFlowPlainAllowed: false,
      isSingleQuotedAllowed: true,
      isBlockAllowed: false,
    };
  }
  let hasBlockIndicator = text.startsWith('---') || text.startsWith('...');
  let hasFlowIndicator = hasBlockIndicator;
  let hasBreak = false;
  let hasSpecial = false;
  let hasTab = false;
  let breakThenSpace = false;
  let spaceThenBreak = false;
  let previous: 'space' | 'break' | 'other' = 'other';
  let isAfterBlank = true;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const char = text.charAt(at);
    const isBeforeBlank = at + 1 >= text.length || text[at + 1] === ' ' || text[at + 1] === '\t';
    if (at === 0 ? FIRST_INDICATORS.has(char) : FLOW_INDICATORS.has(char)) hasFlowIndicator = true;
    if (at === 0 && FIRST_INDICATORS.has(char)) hasBlockIndicator = true;
    if (char === ':' || (at === 0 && char === '?')) {
      hasFlowIndicator = true;
      if (isBeforeBlank) hasBlockIndicator = true;
    }
    if ((at === 0 && char === '-' && isBeforeBlank) || (at > 0 && char === '#' && isAfterBlank)) {
      hasFlowIndicator = true;
      hasBlockIndicator = true;
    }
    if (char === '\t' && hasBlockTabs) hasTab = true;
    else if (!isPrintable(code)) hasSpecial = true;
    if (char === ' ') {
      if (previous === 'break') breakThenSpace = true;
      previous = 'space';
    } else if (isBreak(code)) {
      hasBreak = true;
      if (previous === 'space') spaceThenBreak = true;
      previous = 'break';
    } else previous = 'other';
    isAfterBlank = isBlankOrEnd(code);
  }
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  const hasOuterSpace = first === 0x20 || isBreak(first) || last === 0x20 || isBreak(last);
  const isUnsafe = spaceThenBreak || hasSpecial;
  const isPlain = !hasOuterSpace && !breakThenSpace && !isUnsafe && !hasTab && !hasBreak;
  return {
    isMultiline: hasBreak,
    isPlainAllowed: isPlain && !hasBlockIndicator,
    isFlowPlainAllowed: isPlain && !hasFlowIndicator,
    isSingleQuotedAllowed: !breakThenSpace && !isUnsafe && !hasTab,
    isBlockAllowed: last !== 0x20 && !isUnsafe,
  };
}
