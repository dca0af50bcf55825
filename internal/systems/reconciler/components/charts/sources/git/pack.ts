import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { createLruCache } from '../../../../../../framework/base/collections/lru-cache.ts';
import { messageOf, ProviderError } from '../../../../../../framework/base/index.ts';

import { refused, type SourceLimits } from '../chart-source.ts';

/** Objects of a pack by their names. */
export interface Pack {
  /**
   * @param oid 40 hexadecimal digits
   * @throws SourceError if the pack has no such object
   */
  read(oid: string, type: ObjectType): Buffer;
}

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** Types of objects in a pack (gitformat-pack). */
const TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const OFS_DELTA = 6;
const REF_DELTA = 7;
const HEADER_BYTES = 12;
const HASH_BYTES = 20;
/** Git itself makes chains of 50; an object of a chain is built from its beginning. */
const MAX_CHAIN = 256;
/** Their bases are looked for once all other objects are known; servers send them only if they have no better ones. */
const MAX_REF_DELTAS = 2000;
/** Contents from which others are built, in bytes. */
const CACHE_BYTES = 16 * 1024 * 1024;
/** Of zlib, in bytes; its default is more than most objects have. */
const [MIN_CHUNK, MAX_CHUNK] = [64, 64 * 1024];

/** Where an object is. A delta says how it is made from another one. */
interface Entry {
  readonly at: number;
  readonly size: number;
  readonly type: ObjectType;
  /** Undefined: it is whole. */
  readonly base: Entry | undefined;
  /** Deltas up to the whole object. */
  readonly chain: number;
}

/**
 * Reads a pack, whose sender is not trusted: the unpacked sizes of all objects and their sum, and the lengths of chains of deltas, are
 * limited before anything is built from them.
 *
 * @param packed stays as it is
 * @throws SourceError beyond a limit, and for a damaged pack
 */
export function readPack(packed: Uint8Array, limits: SourceLimits): Pack {
  const pack = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const known = orDamaged(() => index(pack, limits));
  return {
    read: (oid, type) => {
      const entry = known.entries.get(oid);
      if (entry?.type !== type) throw refused(`the pack of the Git server has no ${type} ${oid}`);
      return orDamaged(() => known.contentOf(entry));
    },
  };
}

function orDamaged<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof ProviderError
      ? error
      : refused(`the pack of the Git server is damaged: ${messageOf(error)}`);
  }
}

function index(pack: Buffer, limits: SourceLimits) {
  if (pack.toString('latin1', 0, 4) !== 'PACK') throw refused('the Git server sent no pack');
  const count = pack.readUInt32BE(8);
  // Trees and commits besides the files.
  if (count > 2 * limits.maxFiles) throw refused(`the pack has more than ${2 * limits.maxFiles} objects`);

  const cache = createLruCache<string, Buffer>({ maxBytes: CACHE_BYTES, bytesOf: ({ length }) => length });
  /** The newest one, however large: most deltas follow their base. */
  let newest: { readonly at: number; readonly content: Buffer } | undefined;
  const keep = (at: number, content: Buffer): Buffer => {
    newest = { at, content };
    cache.set(String(at), content);
    return content;
  };
  const contentOf = ({ at, size, base }: Entry): Buffer => {
    const kept = newest?.at === at ? newest.content : cache.get(String(at));
    if (kept !== undefined) return kept;
    const { content: own } = inflate(pack.subarray(at), size, limits);
    return keep(at, base === undefined ? own : applyDelta(contentOf(base), own));
  };

  const entries = new Map<string, Entry>();
  const byStart = new Map<number, Entry>();
  /** @param own as it is in the pack */
  const add = (entry: Entry, start: number, own: Buffer) => {
    if (entry.chain > MAX_CHAIN) throw refused('the pack has chains of deltas that are too long');
    const content = keep(entry.at, entry.base === undefined ? own : applyDelta(contentOf(entry.base), own));
    const name = createHash('sha1').update(`${entry.type} ${content.length}\0`).update(content).digest('hex');
    entries.set(name, entry);
    byStart.set(start, entry);
  };
  const deltaOf = (at: number, size: number, base: Entry): Entry => ({
    at,
    size,
    type: base.type,
    base,
    chain: base.chain + 1,
  });

  /** Those whose base is not known yet. */
  let waiting: { start: number; at: number; size: number; baseStart?: number; baseName?: string }[] = [];
  let refDeltas = 0;
  let total = 0;
  let at = HEADER_BYTES;
  for (let n = 0; n < count; n++) {
    const start = at;
    const { type: number, size, end } = readHeader(pack, at);
    at = end;
    const wait: { baseStart?: number; baseName?: string } = {};
    if (number === OFS_DELTA) {
      const base = readOffset(pack, at);
      at = base.end;
      wait.baseStart = start - base.offset;
    } else if (number === REF_DELTA) {
      wait.baseName = pack.toString('hex', at, at + HASH_BYTES);
      at += HASH_BYTES;
      if (++refDeltas > MAX_REF_DELTAS) throw refused('the pack has chains of deltas that are too long');
    }
    const isDelta = wait.baseStart !== undefined || wait.baseName !== undefined;
    const { content, length } = inflate(pack.subarray(at), size, limits);
    const unpacked = isDelta ? Math.max(size, resultSizeOf(content)) : size;
    if (unpacked > limits.maxFileBytes)
      throw refused(`an object of the pack is larger than ${limits.maxFileBytes} bytes`);
    total += unpacked;
    if (total > limits.maxUnpackedBytes)
      throw refused(`the pack has more than ${limits.maxUnpackedBytes} bytes, unpacked`);
    const base = wait.baseStart === undefined ? undefined : byStart.get(wait.baseStart);
    const type = TYPES[number];
    if (base !== undefined) add(deltaOf(at, size, base), start, content);
    else if (isDelta) waiting.push({ start, at, size, ...wait });
    else if (type === undefined) throw new Error(`an object has the type ${number}`);
    else add({ at, size, type, base: undefined, chain: 0 }, start, content);
    at += length;
  }
  const digest = createHash('sha1').update(pack.subarray(0, at)).digest();
  if (!digest.equals(pack.subarray(at))) throw new Error('it has another checksum');

  while (waiting.length > 0) {
    const left = waiting.filter(({ start, at, size, baseStart, baseName = '' }) => {
      const base = baseStart === undefined ? entries.get(baseName) : byStart.get(baseStart);
      if (base !== undefined)
        add(deltaOf(at, size, base), start, inflate(pack.subarray(at), size, limits).content);
      return base === undefined;
    });
    if (left.length === waiting.length) throw new Error('an object is made from one that is not there');
    waiting = left;
  }
  return { entries, contentOf };
}

/** Unpacks one object, and says how many bytes it had. */
function inflate(packed: Buffer, size: number, limits: SourceLimits): { content: Buffer; length: number } {
  if (size > limits.maxFileBytes)
    throw refused(`an object of the pack is larger than ${limits.maxFileBytes} bytes`);
  const chunkSize = Math.min(Math.max(size, MIN_CHUNK), MAX_CHUNK);
  // The types do not know `info`.
  const result: unknown = inflateSync(packed, {
    maxOutputLength: Math.max(size, 1),
    info: true,
    chunkSize,
  });
  if (!isInflated(result)) throw new Error('no result of inflate');
  if (result.buffer.length !== size) throw new Error('an object has another size than its header says');
  return { content: result.buffer, length: result.engine.bytesWritten };
}

function isInflated(value: unknown): value is { buffer: Buffer; engine: { bytesWritten: number } } {
  return typeof value === 'object' && value !== null && 'buffer' in value && 'engine' in value;
}

/** Four bits of the size, then seven in each byte, the lowest first. */
function readHeader(pack: Buffer, start: number): { type: number; size: number; end: number } {
  let at = start;
  let byte = pack.readUInt8(at++);
  const type = (byte >> 4) & 7;
  let size = byte & 15;
  for (let factor = 16; byte & 0x80; factor *= 128) {
    byte = pack.readUInt8(at++);
    size += (byte & 0x7f) * factor;
  }
  return { type, size, end: at };
}

/** Seven bits in each byte, the highest first; each further byte adds one. */
function readOffset(pack: Buffer, start: number): { offset: number; end: number } {
  let at = start;
  let byte = pack.readUInt8(at++);
  let offset = byte & 0x7f;
  while (byte & 0x80) {
    byte = pack.readUInt8(at++);
    offset = (offset + 1) * 128 + (byte & 0x7f);
  }
  return { offset, end: at };
}

/** A delta begins with the sizes of its base and of its result. */
const resultSizeOf = (delta: Buffer): number => readSize(delta, readSize(delta, 0).end).size;

function readSize(bytes: Buffer, start: number): { size: number; end: number } {
  let at = start;
  let size = 0;
  let byte = 0x80;
  for (let factor = 1; byte & 0x80; factor *= 128) {
    byte = bytes.readUInt8(at++);
    size += (byte & 0x7f) * factor;
  }
  return { size, end: at };
}

/** Instructions: copy a part of the base, or insert the bytes that follow. */
function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const from = readSize(delta, 0);
  const to = readSize(delta, from.end);
  if (from.size !== base.length) throw new Error('a delta belongs to another object');
  const result = Buffer.allocUnsafe(to.size);
  let written = 0;
  let at = to.end;
  while (at < delta.length) {
    const instruction = delta.readUInt8(at++);
    let source = delta;
    let start = at;
    let length = instruction;
    if (instruction & 0x80) {
      let offset = 0;
      length = 0;
      for (let byte = 0; byte < 4; byte++)
        if (instruction & (1 << byte)) offset += delta.readUInt8(at++) * 256 ** byte;
      for (let byte = 0; byte < 3; byte++)
        if (instruction & (16 << byte)) length += delta.readUInt8(at++) * 256 ** byte;
      if (length === 0) length = 0x10000;
      source = base;
      start = offset;
    } else if (instruction === 0) throw new Error('a delta has an unknown instruction');
    else at += length;
    if (start + length > source.length || written + length > to.size)
      throw new Error('a delta leaves its object');
    source.copy(result, written, start, start + length);
    written += length;
  }
  if (written !== to.size) throw new Error('a delta is too short');
  return result;
}
