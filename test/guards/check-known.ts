/** Last step of `make test`: each violation of known.yaml was met by some test, and integration tests met no others. */
import { existsSync } from 'node:fs';
import { identityOf, MET_FOLDER, unlistedViolations, unmetViolations } from './violations.ts';

const folder = process.env[MET_FOLDER];
if (folder === undefined || !existsSync(folder)) {
  console.error(`${MET_FOLDER} names no folder: only \`make test\` runs all tests`);
  process.exitCode = 1;
} else {
  const unmet = unmetViolations(folder);
  for (const each of unmet) console.error(`delete from test/guards/known.yaml: ${identityOf(each)}`);
  const unlisted = unlistedViolations(folder);
  for (const each of unlisted)
    console.error(`integration tests met what test/guards/known.yaml lacks: ${each}`);
  if (unmet.length + unlisted.length > 0) process.exitCode = 1;
}
