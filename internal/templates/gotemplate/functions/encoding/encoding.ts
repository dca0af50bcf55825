/** The functions for encodings, checksums and JSON. */
import { createHash } from 'node:crypto';
import type { Budget } from '../../limits/budget.ts';
import { fromBytes, toBytes } from '../../values/text.ts';
import { type Body, fixed } from '../call/define.ts';
import { Failure } from '../call/failure.ts';
import { ANY, STRING } from '../call/parameter.ts';
import { chargeText, counted } from '../call/text-builder.ts';
import { decodeBase32, encodeBase32 } from './base32.ts';
import { decodeJson } from './json-decode.ts';
import { encodeJson, type JsonForm } from './json-encode.ts';

/** The longest result of these functions for a byte. */
const GROWTH = 2;

const ofText = (change: (text: string, budget: Budget) => string): Body =>
  fixed([STRING], ([text], { budget }) => {
    chargeText(budget, text.length * GROWTH);
    return change(text, budget);
  });

function decodeBase64(text: string): string {
  const encoded = text.replace(/[\r\n]/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) {
    throw new Failure('base64 decode error', '');
  }
  return fromBytes(Buffer.from(encoded, 'base64'));
}

function adler32(text: string, budget: Budget): string {
  let a = 1;
  let b = 0;
  for (const byte of counted(toBytes(text), budget)) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return String(b * 65_536 + a);
}

const hash = (algorithm: 'sha1' | 'sha256'): Body =>
  ofText((text) => createHash(algorithm).update(toBytes(text)).digest('hex'));

const json = (form: JsonForm): Body => fixed([ANY], ([value], { budget }) => encodeJson(value, form, budget));

const fromJson = fixed([STRING], ([text], { budget }: { budget: Budget }) => decodeJson(text, budget));
const toJson = json({ escapesHtml: true });
const toPrettyJson = json({ escapesHtml: true, indentation: '  ' });
const toRawJson = json({ escapesHtml: false });

export const ENCODING = {
  adler32sum: ofText(adler32),
  b32dec: ofText(decodeBase32),
  b32enc: ofText(encodeBase32),
  b64dec: ofText(decodeBase64),
  b64enc: ofText((text) => toBytes(text).toString('base64')),
  fromJson,
  mustFromJson: fromJson,
  mustToJson: toJson,
  mustToPrettyJson: toPrettyJson,
  mustToRawJson: toRawJson,
  sha1sum: hash('sha1'),
  sha256sum: hash('sha256'),
  toJson,
  toPrettyJson,
  toRawJson,
} satisfies Record<string, Body>;
