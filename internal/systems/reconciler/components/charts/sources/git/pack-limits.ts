import { setImmediate } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import { messageOf, ProviderError } from '../../../../../../framework/base/errors/errors.ts';
import type { SourceLimits } from '../model/limits.ts';
import { refused } from '../model/source-error.ts';

/** Types of objects in a pack (gitformat-pack). */
const OFS_DELTA = 6;
const REF_DELTA = 7;
const HEADER_BYTES = 12;
const HASH_BYTES = 20;
/** Git itself makes chains of 50; each object of a chain is built from its beginning. */
const MAX_CHAIN = 256;
/** Their chains are not known before all objects are; servers send them only if they have no better ones. */
const MAX_REF_DELTAS = 2000;
/** Objects between two turns of the event loop. */
const OBJECTS_PER_TURN = 64;

/**
 * Checks a pack before isomorphic-git unpacks it, which has no limits: the unpacked sizes of all objects, and the lengths of
 * chains of deltas.
 *
 * @throws SourceError beyond a limit, and for a damaged pack
 */
export async function assertPackWithin(
  pack: Uint8Array,
  limits: SourceLimits,
  signal: AbortSignal,
): Promise<void> {
  try {
    await scan(Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength), limits, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ProviderError
      ? error
      : refused(`the pack of the Git server is damaged: ${messageOf(error)}`);
  }
}

async function scan(pack: Buffer, limits: SourceLimits, signal: AbortSignal): Promise<void> {
  if (pack.toString('latin1', 0, 4) !== 'PACK') throw refused('the Git server sent no pack');
  const objects = pack.readUInt32BE(8);
  // Trees and commits besides the files.
  if (objects > 2 * limits.maxFiles) throw refused(`the pack has more than ${2 * limits.maxFiles} objects`);
  const chains = new Map<number, number>();
  let refDeltas = 0;
  let total = 0;
  let at = HEADER_BYTES;
  for (let index = 0; index < objects; index++) {
    if (index % OBJECTS_PER_TURN === 0) {
      await setImmediate();
      signal.throwIfAborted();
    }
    const start = at;
    const { type, size, end } = readHeader(pack, at);
    at = end;
    let chain = 0;
    if (type === OFS_DELTA) {
      const base = readOffset(pack, at);
      at = base.end;
      chain = (chains.get(start - base.offset) ?? 0) + 1;
    } else if (type === REF_DELTA) {
      at += HASH_BYTES;
      refDeltas++;
    }
    chains.set(start, chain);
    if (chain > MAX_CHAIN || refDeltas > MAX_REF_DELTAS)
      throw refused('the pack has chains of deltas that are too long');
    const { content, length } = inflate(pack.subarray(at), size, limits);
    at += length;
    const isDelta = type === OFS_DELTA || type === REF_DELTA;
    const unpacked = isDelta ? Math.max(size, targetSizeOf(content)) : size;
    if (unpacked > limits.maxFileBytes)
      throw refused(`an object of the pack is larger than ${limits.maxFileBytes} bytes`);
    total += unpacked;
    if (total > limits.maxUnpackedBytes) {
      throw refused(`the pack has more than ${limits.maxUnpackedBytes} bytes, unpacked`);
    }
  }
}

function inflate(packed: Buffer, size: number, limits: SourceLimits): { content: Buffer; length: number } {
  if (size > limits.maxFileBytes)
    throw refused(`an object of the pack is larger than ${limits.maxFileBytes} bytes`);
  // The types do not know `info`.
  const result: unknown = inflateSync(packed, { maxOutputLength: Math.max(size, 1), info: true });
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
function targetSizeOf(delta: Buffer): number {
  return readSize(delta, readSize(delta, 0).end).size;
}

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
