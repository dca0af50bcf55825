/** Last step of `make test`: each violation of known.yaml was met by some test. Otherwise its entry is outdated. */
import { existsSync } from 'node:fs';
import { identityOf, MET_FOLDER, unmetViolations } from './violations.ts';

const folder = process.env[MET_FOLDER];
if (folder === undefined || !existsSync(folder)) {
  console.error(`${MET_FOLDER} names no folder: only \`make test\` runs all tests`);
  process.exitCode = 1;
} else {
  const unmet = unmetViolations(folder);
  for (const each of unmet) console.error(`delete from test/guards/known.yaml: ${identityOf(each)}`);
  if (unmet.length > 0) process.exitCode = 1;
}
