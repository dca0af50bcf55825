import { createHmac, randomBytes } from 'node:crypto';
import { goJson } from './parameters/go-json.ts';

/** A hash without a key would allow to guess what is in a Secret. */
const key = randomBytes(32);

/** Equal for equal JSON values, within this process. */
export const fingerprint = (value: unknown): string =>
  createHmac('sha256', key).update(goJson(value)).digest('base64');
