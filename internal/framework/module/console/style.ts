import { styleText } from 'node:util';
import type { OutputLike, ProcessLike } from './process-like.ts';

/** The meaning of a text; it decides the colour. */
export type Tone = 'good' | 'notice' | 'bad' | 'faint' | 'strong';

/** Colours a text, or returns it unchanged. */
export type Style = (tone: Tone, text: string) => string;

export const plain: Style = (_tone, text) => text;

const formats = {
  good: 'green',
  notice: 'yellow',
  bad: 'red',
  faint: 'dim',
  strong: 'bold',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/**
 * Colours on a terminal that supports them. FORCE_COLOR and NO_COLOR override this; FORCE_COLOR has precedence
 * (force-color.org, no-color.org). `FORCE_COLOR=0` or `false` means never.
 */
export function styleFor(output: OutputLike, env: ProcessLike['env']): Style {
  return hasColours(output, env)
    ? (tone, text) => styleText(formats[tone], text, { validateStream: false })
    : plain;
}

function hasColours({ isTTY = false }: OutputLike, env: ProcessLike['env']): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return !/^(0|false)$/i.test(FORCE_COLOR);
  return isTTY && !NO_COLOR && TERM !== 'dumb';
}
