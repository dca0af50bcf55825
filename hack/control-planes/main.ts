/**
 * Provides the control-plane binaries and both versions of the gardener-apiserver, for `make test` the one that its tests need: progress
 * on stderr, the folder of the former as the one line of stdout.
 */

import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import { ensureBinaries } from './binaries/binaries.ts';
import { ensureGardener, NEWER_GARDENER_VERSION } from './gardener/binary.ts';

try {
  const report = (line: string) => console.error(`control planes: ${line}`);
  const { directory } = await ensureBinaries({ report });
  await ensureGardener({ report });
  if (process.env.SHORT_TESTS !== '1') await ensureGardener({ version: NEWER_GARDENER_VERSION, report });
  console.log(directory);
} catch (error) {
  console.error(error instanceof Error ? error.message : messageOf(error));
  process.exitCode = 1;
}
