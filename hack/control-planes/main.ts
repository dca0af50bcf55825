/** Provides the control-plane binaries: progress on stderr, their folder as the one line of stdout. */

import { messageOf } from '../../internal/base/errors/errors.ts';
import { ensureBinaries } from './binaries/binaries.ts';

try {
  const { directory } = await ensureBinaries({ report: (line) => console.error(`control planes: ${line}`) });
  console.log(directory);
} catch (error) {
  console.error(error instanceof Error ? error.message : messageOf(error));
  process.exitCode = 1;
}
