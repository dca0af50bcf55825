import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { startHttpServer } from '../http-server.fixture.ts';

/** Types of objects in a pack (gitformat-pack). */
const COMMIT = 1;
const TREE = 2;
export const BLOB = 3;
export const OFS_DELTA = 6;
export const REF_DELTA = 7;

/** One object of a pack: its header with the stated size, what comes before the data, and the data. */
export function objectOf(
  type: number,
  data: Uint8Array,
  {
    size = data.length,
    before = new Uint8Array(),
    level = 6,
  }: { readonly size?: number; readonly before?: Uint8Array; readonly level?: number } = {},
): Buffer {
  const header = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    header[header.length - 1] = (header.at(-1) ?? 0) | 0x80;
    header.push(rest & 0x7f);
  }
  return Buffer.concat([Buffer.from(header), before, deflateSync(data, { level })]);
}

export function packOf(objects: readonly Buffer[], count = objects.length): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(count, 8);
  const content = Buffer.concat([head, ...objects]);
  return Buffer.concat([content, createHash('sha1').update(content).digest()]);
}

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 128))
    bytes.push(rest & 0x7f);
  return Buffer.from(bytes.map((byte, index) => (index < bytes.length - 1 ? byte | 0x80 : byte)));
}

/** The distance of an object of type OFS_DELTA from its base. */
export function offsetOf(distance: number): Buffer {
  const bytes = [distance & 0x7f];
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest--;
    bytes.unshift((rest & 0x7f) | 0x80);
  }
  return Buffer.from(bytes);
}

/** The name of an object. */
export const oidOf = (type: string, data: Uint8Array): string =>
  createHash('sha1').update(`${type} ${data.length}\0`).update(data).digest('hex');

/** Files of one folder, and the commit that has them; `more` comes first in the pack, and belongs to nothing. */
export function packOfFiles(
  files: Readonly<Record<string, Buffer>>,
  more: readonly Buffer[] = [],
): { readonly commit: string; readonly pack: Buffer } {
  const entries = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  const tree = Buffer.concat(
    entries.flatMap(([name, data]) => [
      Buffer.from(`100644 ${name}\0`),
      Buffer.from(oidOf('blob', data), 'hex'),
    ]),
  );
  const person = 'test <test@example.com> 1700000000 +0000';
  const commit = Buffer.from(
    `tree ${oidOf('tree', tree)}\nauthor ${person}\ncommitter ${person}\n\nchange\n`,
  );
  const blobs = entries.map(([, data]) => objectOf(BLOB, data, { level: 1 }));
  return {
    commit: oidOf('commit', commit),
    pack: packOf([...more, ...blobs, objectOf(TREE, tree), objectOf(COMMIT, commit)]),
  };
}

const line = (data: Uint8Array | string): Buffer => {
  const bytes = Buffer.from(data);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
};

/** A Git server that has one commit, and sends this pack for it. */
export function servePack({ commit, pack }: { readonly commit: string; readonly pack: Buffer }) {
  const end = Buffer.from('0000');
  return startHttpServer((request, response) => {
    request.resume();
    if (request.method === 'GET') {
      const capabilities = 'shallow side-band-64k ofs-delta no-done';
      response.setHeader('content-type', 'application/x-git-upload-pack-advertisement');
      const reference = line(`${commit} HEAD\0${capabilities}\n`);
      response.end(Buffer.concat([line('# service=git-upload-pack\n'), end, reference, end]));
      return;
    }
    response.setHeader('content-type', 'application/x-git-upload-pack-result');
    response.write(Buffer.concat([line(`shallow ${commit}\n`), end, line('NAK\n')]));
    const bytes = 60_000;
    for (let at = 0; at < pack.length; at += bytes) {
      response.write(line(Buffer.concat([Buffer.from([1]), pack.subarray(at, at + bytes)])));
    }
    response.end(end);
  });
}
