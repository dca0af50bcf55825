import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { createAuthority } from '../../hack/control-planes/access/authority.ts';
import { nopLogger } from '../../internal/framework/base/telemetry/telemetry.ts';
import { temporaryFolder } from '../../internal/framework/base/temporary-folder.fixture.ts';
import { createFakeClock } from '../../internal/framework/base/time/fake-clock.ts';
import {
  filesIn,
  followCertificate,
  readCertificate,
  type ServingCertificate,
} from '../../internal/framework/process/server/certificate-files.ts';
import { eventually } from '../environment/eventually.ts';

const folder = temporaryFolder('kyma-certificate-');
let pairs: ServingCertificate[];
beforeAll(async () => {
  const authority = await createAuthority('certificates');
  const issued = await Promise.all([1, 2, 3].map(() => authority.issueServer(['127.0.0.1'])));
  pairs = issued.map(({ certificate, key }) => ({ cert: certificate, key }));
});

const write = async ({ cert, key }: ServingCertificate) => {
  await writeFile(join(folder, 'tls.crt'), cert);
  await writeFile(join(folder, 'tls.key'), key);
};
const pair = (index: number): ServingCertificate => pairs[index] ?? { cert: '', key: '' };

test('a pair that is empty, half written or mismatched never replaces the one in use; a whole one does', async () => {
  const clock = createFakeClock();
  const problems: unknown[] = [];
  const log = {
    ...nopLogger,
    error: (_message: string, fields?: object) => void problems.push((fields as { error: string }).error),
  };
  await write(pair(0));
  const taken: ServingCertificate[] = [];
  const stop = new AbortController();
  const ended = followCertificate(
    {
      files: filesIn(folder),
      clock,
      log,
      current: await readCertificate(filesIn(folder)),
      onChanged: (next) => void taken.push(next),
    },
    stop.signal,
  );
  // Also while one file of the next is written, the two are no pair.
  const broken = [
    { cert: '', key: '' },
    { cert: pair(1).cert.slice(0, 200), key: pair(2).key },
    { cert: pair(1).cert, key: '' },
    { cert: pair(1).cert, key: pair(2).key },
  ];
  for (const [index, each] of broken.entries()) {
    await write(each);
    await eventually(async () => {
      await clock.advance(10_000);
      expect(problems.length).toBeGreaterThan(index);
    });
  }
  expect(taken).toEqual([]);
  await write(pair(1));
  await eventually(async () => {
    await clock.advance(10_000);
    expect(taken).toEqual([pair(1)]);
  });
  stop.abort();
  await ended;
});

test.each(['tls.crt', 'tls.key'])('without %s there is an error that names the file', async (file) => {
  await write(pair(0));
  await rm(join(folder, file));
  await expect(readCertificate(filesIn(folder))).rejects.toThrow(
    `cannot read the serving certificate ${join(folder, 'tls.crt')}: `,
  );
});
