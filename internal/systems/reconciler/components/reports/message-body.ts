import { cutText } from '../../../../framework/base/index.ts';

import type { CallbackMessage } from '../model/callback.ts';

/** Limits in characters. With the longest form that a character has in JSON, a body stays below 100,000 bytes. */
const MAX_ERROR = 8000;
const MAX_MANIFEST = 32_000;
/** In bytes, of a manifest as JSON; it is logged only. */
const MAX_MANIFEST_BYTES = 40_000;

/** A message as JSON, within the limits of the mothership: well-formed Unicode without NUL, and not too long. */
export function messageBody({ error, manifest, progress, ...message }: CallbackMessage): string {
  return JSON.stringify({
    ...message,
    error: storable(cutText(error, MAX_ERROR)),
    ...(progress === undefined ? {} : { progress: { ...progress, message: storable(progress.message) } }),
    ...(manifest === undefined ? {} : { manifest: cutToBytes(storable(manifest)) }),
  });
}

const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

function cutToBytes(text: string): string {
  for (let limit = MAX_MANIFEST; ; limit = Math.floor(limit / 2)) {
    const cut = cutText(text, limit);
    if (Buffer.byteLength(JSON.stringify(cut)) <= MAX_MANIFEST_BYTES) return cut;
  }
}
